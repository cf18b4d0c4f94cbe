"""What graph and literature hold on a claim, and how it is shown."""
