"""Words: overlap, opposites, and the closest sentence."""
