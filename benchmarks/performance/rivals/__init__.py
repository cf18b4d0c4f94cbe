"""Other ways to do the same work, as one would write them without this project. Each runs as a separate process."""
