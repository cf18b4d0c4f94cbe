"""A look at a release that changes nothing: what it holds, what moved, and whether that is within limits."""
