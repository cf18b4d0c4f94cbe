"""The Cypher query that shows the chains of a look-up in Neo4j Browser."""

from cypher.network import Reach
from groundwork.records import Rank
from groundwork.settings import Settings

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
#: First line of a query that has the paths of a look-up without some articles. There may be a million such articles.
_MASKED = (
    "// This query counts every article, also those that the look-up leaves out (notices and retracted articles).\n"
)


def literal(text: str) -> str:
    """Return a text as a Cypher string literal."""
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    # Neo4j decodes a backslash before a `u` even if the backslash is escaped, so the two characters are separated.
    return "'" + escaped.replace("\\\\u", "\\\\' + 'u") + "'"


def sketch(
    head: str,
    tail: str,
    hops: int,
    reach: Reach,
    limit: int,
    rank: Rank,
    alpha: float | None,
    settings: Settings,
) -> str:
    """Return one query for Neo4j that finds the same paths as a look-up, with the same scores, best first.

    The query joins one pattern per path length by UNION ALL and has no unbounded pattern. The look-up rounds scores to
    12 significant digits and this query does not, so the last digits of scores and the order of ties may differ. The
    query also counts the articles of `reach.without`, and then begins with a comment that says so.
    """
    before = reach.before
    patterns = "\n  UNION ALL\n".join(_pattern(length, before, alpha is not None) for length in range(1, hops + 1))
    return (
        f"{_MASKED if reach.without else ''}"
        f"MATCH (head:Concept {{key: {literal(head)}}}), (tail:Concept {{key: {literal(tail)}}})\n"
        f"CALL (head, tail) {{\n{patterns}\n}}\n"
        f"WITH path, {_score(before, rank, alpha, settings)} AS score\n"
        f"RETURN path, score\n"
        f"ORDER BY score DESC, length(path), [n IN nodes(path) | n.key], [r IN relationships(path) | type(r)]\n"
        f"LIMIT {limit}"
    )


def _pattern(length: int, before: int | None, similar: bool) -> str:
    """Return the part of the query for simple paths of one length.

    A MATCH never uses a relationship twice, but it may visit a concept twice. Therefore the concepts are compared.
    """
    kinds = "!CONTRADICTS" if similar else "!CONTRADICTS&!SIMILAR_TO"  # all other kinds are relations
    inner = [f"c{i}" for i in range(1, length)]
    steps = "".join(f"-[r{i}:{kinds}]-({node})" for i, node in enumerate([*inner, "tail"], 1))
    nodes = ["head", *inner, "tail"]
    unlike = [f"{a} <> {b}" for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    either = "coalesce(r{i}.first_pmid, 0) <= {before}"  # a similarity edge has no PMIDs and always exists
    cuts = [] if before is None else [either.format(i=i, before=before) for i in range(1, length + 1)]
    return f"  MATCH path = (head){steps}\n  WHERE {' AND '.join([*unlike, *cuts])}\n  RETURN path"


def _score(before: int | None, rank: Rank, alpha: float | None, settings: Settings) -> str:
    if rank == "hops":
        return "1.0 / length(path)"
    articles = "r.articles" if before is None else f"size([p IN r.pmids WHERE p <= {before}])"
    factor = f"(1.0 - ({settings.syst!r} + {settings.rand!r} ^ {articles}))"
    if alpha is not None:
        similar = f"{alpha!r} / (1.0 + exp(-r.cosine))"
        factor = f"CASE type(r) WHEN 'SIMILAR_TO' THEN {similar} ELSE {factor} END"
    if rank == "dwpc":
        factor = f"1.0 / sqrt({_degree('startNode', before)} * {_degree('endNode', before)})"
    return f"reduce(score = 1.0, r IN relationships(path) | score * {factor})"


def _degree(end: str, before: int | None) -> str:
    """Return an expression for the degree of one end of relationship r, counting only relationships of r's type."""
    cut = "" if before is None else f" AND coalesce(s.first_pmid, 0) <= {before}"
    one = f"{end}(r)"
    # A pattern can only begin at a variable, so `WHERE a = ...` selects the end.
    return f"COUNT {{ MATCH (a)-[s]-(b) WHERE a = {one} AND b <> a AND type(s) = type(r){cut} RETURN DISTINCT b }}"
