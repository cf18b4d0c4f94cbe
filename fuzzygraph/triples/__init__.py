"""What a sentence claims: subject, predicate, object."""
