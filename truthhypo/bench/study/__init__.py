"""Run the open-ended study (paper A, Section 5): people choose the more probable of two hypotheses."""
