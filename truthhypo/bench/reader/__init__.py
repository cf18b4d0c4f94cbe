"""Fit the reader of relations in English sentences, and measure it."""
