"""Release files made from a known truth: from edges and their PMID sets outward to lines, never back.

Nothing here uses code of the rooms, so that what it says of a file can hold them to account.
"""
