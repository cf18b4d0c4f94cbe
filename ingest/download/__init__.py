"""Files fetched from NCBI's servers: whole, checked, and gone on with where a connection broke."""
