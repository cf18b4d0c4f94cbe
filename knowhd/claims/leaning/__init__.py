"""Whether a claim stands by itself."""
