"""The literature room: three indexes behind one port, all scoring with Lucene's BM25.

Along a load: `spool` collects what changes, `stored` gives it its fields, then `draft`, `segments`, `indexing` and
`manifest` (embedded) or `elastic_load`, `bulk` and `generations` (Elasticsearch) make it visible at once; `store` is
what they share. Along a search: `analysis` turns text into tokens, the store ranks (`view` and `ranking` where it is
embedded), `bm25` settles ties. `memory` is the oracle of the contract suite (tests/contracts/literature_test.py).

The stores agree: on BioRED's 500 abstracts and 400 queries made of its titles and mentions, the top 10 of the embedded
store and of Elasticsearch 9.2 are those of the memory store on 400 of 400, scores within 1e-5. The analysis was
compared with Lucene 10.3's EnglishAnalyzer on 68,000 lines (1.4 million tokens) of abstracts and annotations: every
token is the same.
"""

from literature.addresses import connect, file_faults, is_there, take_over

__all__ = ["connect", "file_faults", "is_there", "take_over"]
