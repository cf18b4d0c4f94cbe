"""Search of abstracts: three literature indexes behind one interface, all scored with Lucene's BM25.

How a load works: `spool` collects the changes and `stored` turns each abstract into stored fields. Then `draft`,
`segments`, `indexing` and `manifest` (embedded store), or `elastic_load`, `bulk` and `generations` (Elasticsearch),
show all changes to readers at once. `store` holds what all stores share.

How a search works: `analysis` turns text into tokens, the store ranks the documents (`view` and `ranking` in the
embedded store), and `bm25` orders documents with equal scores. `memory` is the reference implementation that the
contract tests compare the other stores with (tests/contracts/literature_test.py).

The stores agree. They were compared on the 500 abstracts of BioRED, with 400 queries made of its titles and mentions.
For every query, the top 10 of the embedded store and of Elasticsearch 9.2 equal those of the memory store, with scores
within 1e-5. The analysis was compared with the EnglishAnalyzer of Lucene 10.3 on 68,000 lines (1.4 million tokens) of
abstracts and annotations: every token is the same.
"""

from literature.addresses import connect, file_faults, is_there, take_over

__all__ = ["connect", "file_faults", "is_there", "take_over"]
