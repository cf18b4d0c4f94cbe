"""Words of a parsed sentence: read with names standing in, joined, made to agree, denied."""
