"""The one reading of English: sentences with named concepts in, relations between two of them out."""
