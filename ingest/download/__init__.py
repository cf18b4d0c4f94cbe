"""Download files from NCBI's servers, check that they are complete, and resume interrupted downloads."""
