"""A whole graph as mapped arrays: drawn from a store, read in its place."""
