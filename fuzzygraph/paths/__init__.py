"""Path probabilities: counts, sums and largest of simple paths."""
