"""The judge by rules: it agrees or disagrees with what a learned reader finds stated between a claim's two ends."""
