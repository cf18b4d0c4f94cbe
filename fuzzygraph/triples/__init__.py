"""Read the claims of a sentence as triples: subject, predicate, object."""
