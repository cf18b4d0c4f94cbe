"""Measure how often a judge is right, on labelled pairs of claim and evidence."""
