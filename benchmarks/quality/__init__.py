"""Measure how right the answers are, on labelled data."""
