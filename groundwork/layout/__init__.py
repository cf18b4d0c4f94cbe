"""Divide a text into its sentences by its layout."""
