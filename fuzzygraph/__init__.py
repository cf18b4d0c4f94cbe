"""The fuzzy graph room: what a sentence claims, and how well paths of uncertain edges support it."""
