"""The judge by rules: it compares the claim with the relations that a fitted reader finds in the evidence."""
