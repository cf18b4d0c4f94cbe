"""The judge `reader`: it compares what a claim states of its two ends with what a fitted reader finds in evidence."""
