"""A judge held against labelled pairs."""
