"""Measure the risks of labelled statements for a grid of parameter values (`Terms`)."""
