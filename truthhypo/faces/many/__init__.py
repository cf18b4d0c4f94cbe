"""Judge many texts or pairs from Python: lists, pandas objects and files. A run can be resumed, as with `--file`."""
