"""Judge many texts or pairs from Python: lists, pandas objects and files, by the resumable run of `--file --out`."""
