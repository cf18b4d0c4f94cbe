"""Compare words: overlap, opposites, and the closest sentence."""
