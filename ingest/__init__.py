"""The ingestion room: release files in, a receipt out."""

from ingest.history import Difference, activate, diff, releases
from ingest.load import load_concepts, load_documents, load_pubmed, load_relations
from ingest.receipt import Effect, Receipt

__all__ = [
    "Difference",
    "Effect",
    "Receipt",
    "activate",
    "diff",
    "load_concepts",
    "load_documents",
    "load_pubmed",
    "load_relations",
    "releases",
]
