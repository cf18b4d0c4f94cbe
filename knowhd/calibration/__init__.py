"""Accuracy figures of judges, measured on labelled pairs of claim and evidence and printed beside groundedness."""
