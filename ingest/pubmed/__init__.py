"""Load PubMed's records and deletions into the literature index."""
