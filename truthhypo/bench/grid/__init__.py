"""Risks of labelled statements on a grid of terms."""
