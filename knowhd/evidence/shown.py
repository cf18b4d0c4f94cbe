"""Write pieces of evidence for models, so that no text in them can break or imitate the format of a prompt."""

from collections.abc import Iterable, Mapping

from groundwork.ports import GraphReader
from groundwork.records import Hop
from groundwork.records.shortened import counted
from knowhd.evidence.pieces import Edge, Passage, Piece, Trail
from knowhd.prompt import harmless, quoted
from knowhd.wording import related


def tokens_of(text: str) -> int:
    """Return an estimate of a text's tokens: a third of its UTF-8 bytes, rounded up.

    The estimate is high on purpose. Common tokenizers need about one token for four bytes of English.
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)


def shown(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return one line for each piece, by its id, for a language model. Texts and names are put in quotation marks."""
    told = tuple(pieces)
    names = names_of(told, graph)
    return {piece.id: _line(piece, names) for piece in told}


def spoken(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return each piece, by its id, as plain sentences, because entailment models are trained on sentences.

    Edges and chains are put into words, with the names of concepts in the graph.
    """
    told = tuple(pieces)
    names = names_of(told, graph)
    return {piece.id: harmless(_said(piece, names)) for piece in told}


def _said(piece: Piece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    return " ".join(f"{related(each, names)}." for each in ((piece,) if isinstance(piece, Edge) else piece.hops))


def _line(piece: Piece, names: dict[str, str]) -> str:
    if isinstance(piece, Edge):
        return f"knowledge graph: {_named(piece.head, names)}{_step(piece, names)}"
    if isinstance(piece, Trail):
        steps = "".join(_step(hop, names) for hop in piece.hops)
        return f"knowledge graph, chain that no article need state: {_named(piece.head, names)}{steps}"
    what = "retracted article" if piece.retracted else "article"
    return f"{what}, PMID {piece.pmid}, titled {quoted(piece.title)}: {quoted(piece.sentence)}"


def _step(hop: Edge | Hop, names: dict[str, str]) -> str:
    return f" - {hop.relation} ({counted(hop.articles, 'article')}) - {_named(hop.tail, names)}"


def _named(key: str, names: dict[str, str]) -> str:
    return f"{quoted(names[key])} ({quoted(key)[1:-1]})" if key in names else quoted(key)


def keys_of(pieces: Iterable[Piece]) -> set[str]:
    """Return the keys of the concepts at both ends of all edges in pieces of evidence."""
    links = [piece for piece in pieces if not isinstance(piece, Passage)]
    return {key for link in links for hop in getattr(link, "hops", (link,)) for key in (hop.head, hop.tail)}


def names_of(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return the names of the concepts that `keys_of` returns, by key, as far as the graph knows the concepts."""
    return {key: concept.name for key, concept in graph.concepts(keys_of(pieces)).items()}
