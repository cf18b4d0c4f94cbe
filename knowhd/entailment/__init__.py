"""The judge that uses a local entailment model."""
