"""The ports: small Protocols through which rooms meet. Their docstrings hold semantics, units and errors.

Every store passes one contract suite (tests/contracts): same inputs, same answers, same errors. Keys are `Type|ID`.
`before` is a PMID p: only evidence with PMID <= p counts; an edge without such evidence is not there, and the
articles, belief and PMIDs shown are those under the cut. None means no cut.
"""

from groundwork.ports.bulk import BulkImport
from groundwork.ports.graph import Graph, GraphReader, GraphWriter
from groundwork.ports.literature import Literature, LiteratureReader, LiteratureWriter
from groundwork.ports.model import NO_USAGE, Accounting, Answer, Embedder, LanguageModel, Question, Shape
from groundwork.ports.neighbours import Neighbours
from groundwork.ports.progress import Progress, Silent, watched

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
    "Neighbours",
    "Progress",
    "Question",
    "Shape",
    "Silent",
    "watched",
]
