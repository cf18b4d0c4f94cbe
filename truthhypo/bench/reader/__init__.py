"""Fitting the reader of relations, and measuring it."""
