"""Annotated documents: PubTator's formats and BioC-JSON."""
