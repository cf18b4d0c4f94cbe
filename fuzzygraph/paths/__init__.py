"""Probabilities of simple paths: number, sum, maximum and noisy-or."""
