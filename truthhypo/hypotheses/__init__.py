"""The TruthHypo task (paper A, section 2): propose the relation of two concepts, with or without retrieved evidence."""
