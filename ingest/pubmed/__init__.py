"""PubMed's records and deletions on their way into the literature index."""
