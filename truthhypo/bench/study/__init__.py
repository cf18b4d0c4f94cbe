"""The open-ended study (paper A, Section 5): which of two hypotheses is the likelier, asked of people and models."""
