"""Other ways to do the same work: what one would write without this project, run as processes of their own."""
