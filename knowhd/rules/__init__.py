"""The judge by rules: deterministic, and not a language model."""
