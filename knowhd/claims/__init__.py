"""Split a text into atomic claims."""
