"""Download files from NCBI's servers: complete, checked, and resumed where a connection broke."""
