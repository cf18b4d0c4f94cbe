"""Sentences that fold several statements into one, unfolded."""
