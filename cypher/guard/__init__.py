"""Check free queries: only queries that read are allowed."""
