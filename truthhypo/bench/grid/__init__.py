"""Measure the risks of labelled statements on a grid of terms."""
