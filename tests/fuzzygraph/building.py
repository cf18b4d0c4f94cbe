"""Build similarity edges and write them without the journal of a load, for graphs that come from no release."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.compute as pc
import pyarrow.parquet as pq

from fuzzygraph.similarity import SimilarityReceipt
from fuzzygraph.similarity import build as built
from groundwork import tables
from groundwork.ports import Embedder, Graph
from groundwork.tables import SIMILARITY_KEYS


def build(graph: Graph, embedder: Embedder, **options) -> SimilarityReceipt:
    """Build similarity edges, and replace the earlier edges of the model."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "edges.parquet"
        receipt = built(graph, embedder, edges=file, **options)
        made, edges = tables.similarity_set(file), pq.read_table(file)
    assert (made.model, made.form, made.tau, made.top_k) == (receipt.model, receipt.form, receipt.tau, receipt.top_k)
    assert edges.num_rows == receipt.edges
    with graph.writing():
        for batch in graph.similarities():
            of_model = pc.equal(batch["model"], embedder.name)
            graph.drop_similarities([batch.select(SIMILARITY_KEYS.names).filter(of_model)])
        graph.put_similarities(edges.to_batches())
    return receipt
