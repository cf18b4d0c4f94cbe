"""The literature room: three indexes behind one port, all scoring with Lucene's BM25."""

from literature.addresses import connect

__all__ = ["connect"]
