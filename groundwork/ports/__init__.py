"""The ports: small Protocols through which packages work together. Their docstrings define meaning, units and errors.

All implementations of a store port pass the same tests (tests/contracts): same inputs, same answers, same errors. Keys
have the form `Type|ID`. The argument `before` (the PMID cut) is a PMID p: only articles with PMID <= p count. The PMIDs
and the belief of an edge then come from these articles alone, and edges without such an article are left out. If
`before` is None, all articles count. The articles of the argument `without` (a `network.ArticleMask`) do not count
either; `LiteratureReader.uncounted` returns them. Similarity edges have no articles and are always there.
"""

from groundwork.ports.graph import BulkImport, Graph, GraphReader, GraphWriter
from groundwork.ports.literature import Literature, LiteratureReader, LiteratureWriter
from groundwork.ports.model import NO_USAGE, Accounting, Answer, Embedder, LanguageModel, Question, Shape
from groundwork.ports.progress import Progress, Silent, watched, watched_rows

__all__ = [
    "NO_USAGE",
    "Accounting",
    "Answer",
    "BulkImport",
    "Embedder",
    "Graph",
    "GraphReader",
    "GraphWriter",
    "LanguageModel",
    "Literature",
    "LiteratureReader",
    "LiteratureWriter",
    "Progress",
    "Question",
    "Shape",
    "Silent",
    "watched",
    "watched_rows",
]
