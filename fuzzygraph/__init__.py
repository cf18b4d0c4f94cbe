"""The fuzzy probabilistic concept graph: from a statement to path probabilities and a risk."""
