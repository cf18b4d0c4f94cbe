"""A text as atomic claims."""
