"""Figures of judges on labelled pairs of claim and evidence, which are printed beside groundedness."""
