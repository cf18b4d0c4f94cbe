"""Measure a judge on labelled pairs of claim and evidence."""
