"""KnowHD: split a text into claims, and judge each claim against the graph and the literature."""
