"""The judge by a local model of entailment."""
