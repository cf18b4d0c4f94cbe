"""Count simple paths, and aggregate their probabilities: sum, maximum and noisy-or."""
