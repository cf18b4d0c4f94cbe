"""The TruthHypo task (paper A, section 2): hypothesise the relation of two concepts, with or without knowledge."""
