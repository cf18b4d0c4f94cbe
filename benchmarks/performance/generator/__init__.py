"""Generate release files from known content: first edges with their PMIDs, then the lines.

This package uses no code of the rooms, so its account of a file can test them.
"""
