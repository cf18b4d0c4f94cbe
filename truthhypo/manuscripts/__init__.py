"""Check what a manuscript cites: read it, resolve its references, and judge each sentence that cites."""
