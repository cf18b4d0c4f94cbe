"""What words that point to something named before mean, each way of pointing by a rule of its own."""
