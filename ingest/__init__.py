"""The ingestion package: reads release files, writes them into the stores, and returns a receipt.

Names are imported when they are first used: the libraries that loads need (DuckDB, Ibis, pandas) take most of a second
to import, and look-ups and judgements on the command line do not need them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.contradictions import load_contradictions
    from ingest.download.download import DownloadReceipt, download_pubmed, download_pubtator
    from ingest.download.remote import Remote
    from ingest.history import Difference, activate, compare, releases
    from ingest.load import load_concepts, load_documents, load_relations, load_thesaurus
    from ingest.pubmed.pubmed_load import load_pubmed
    from ingest.receipt import Effect, Receipt
    from ingest.similarity import load_similarities

__all__ = [
    "Difference",
    "DownloadReceipt",
    "Effect",
    "Receipt",
    "Remote",
    "activate",
    "compare",
    "download_pubmed",
    "download_pubtator",
    "load_concepts",
    "load_contradictions",
    "load_documents",
    "load_pubmed",
    "load_relations",
    "load_similarities",
    "load_thesaurus",
    "releases",
]

_MODULES = {
    "ingest.contradictions": {"load_contradictions"},
    "ingest.download.download": {"DownloadReceipt", "download_pubmed", "download_pubtator"},
    "ingest.history": {"Difference", "activate", "compare", "releases"},
    "ingest.pubmed.pubmed_load": {"load_pubmed"},
    "ingest.load": {"load_concepts", "load_documents", "load_relations", "load_thesaurus"},
    "ingest.receipt": {"Effect", "Receipt"},
    "ingest.similarity": {"load_similarities"},
    "ingest.download.remote": {"Remote"},
}


def __getattr__(name: str) -> Any:
    """Return a public name, imported from the module that defines it (PEP 562)."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
