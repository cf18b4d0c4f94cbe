"""KnowHD: a text is split into claims and each is judged against graph and literature."""
