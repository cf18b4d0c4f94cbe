"""Print results as text for people, with evidence and PMIDs. JSON comes from `to_dict` of the records instead."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from groundwork.organisms import described
from groundwork.records import Chains, Concept, Found, Hits, Hop, Release, Stats
from groundwork.records import Table as Rows
from groundwork.records.base import counted
from groundwork.records.release import label
from groundwork.study import kind_of_study
from truthhypo.faces.layout import field, new_table, print_table
from truthhypo.faces.render_judgement import belief, citing, citing_row, ground, hypothesis, manuscript, pair, risk

if TYPE_CHECKING:
    from ingest.receipt import Receipt
    from truthhypo.faces.demo import DemoResult
    from truthhypo.faces.doctor import Check
    from truthhypo.rebuild import Rebuild

__all__ = [
    "Console",
    "articles",
    "belief",
    "chains",
    "checks",
    "citing",
    "citing_row",
    "counts",
    "demo",
    "edges",
    "found",
    "ground",
    "hits",
    "hypothesis",
    "manuscript",
    "pair",
    "rebuilt",
    "receipt",
    "releases",
    "risk",
    "stats",
    "table",
]

#: Maximum number of PMIDs on one line.
SHOWN = 5

#: Length of a time without fractions of a second.
_SECOND = len("2026-11-25T22:23:04")


def chains(console: Console, result: Chains, names: Mapping[str, Concept]) -> None:
    """Print each chain hop by hop, and the Cypher that shows the chains in Neo4j Browser."""
    console.print(f"{counted(result.total, 'chain')}, {len(result.chains):,} shown\n")
    for chain in result.chains:
        field(console, f"{chain.score:.4f}  ", _name(chain.hops[0].head, names))
        for hop in chain.hops:
            field(console, f"        [dim]-{hop.relation}-[/dim] ", _name(hop.tail, names))
            field(console, "          ", _known(hop))
    console.print(f"\n[dim]In Neo4j Browser:[/dim]\n{escape(result.cypher)}")


def edges(console: Console, hops: Sequence[Hop], names: Mapping[str, Concept]) -> None:
    """Print each edge with its articles."""
    if not hops:
        console.print("the graph has no edge between these concepts")
    for hop in hops:
        console.print(f"{_name(hop.head, names)} [dim]-{hop.relation}-[/dim] {_name(hop.tail, names)}")
        field(console, "  ", _known(hop))


def browser(console: Console, told: Mapping[str, str]) -> None:
    """Print the address at which Neo4j Browser opens the guide, and the commands that open style and guide."""
    field(console, "Neo4j Browser  ", escape(told["page"]))
    console.print(
        "The guide opens there, and its first slide sets the style. To get the style and the guide again, type in "
        "Neo4j Browser:"
    )
    field(console, "  ", escape(told["style"]))
    field(console, "  ", escape(told["guide"]))
    console.print("[dim]Ctrl-C stops serving the style and the guide.[/dim]")


def found(console: Console, text: str, result: Found) -> None:
    """Print the concepts found for a text as a table, and say if the text is ambiguous."""
    if not result.concepts:
        console.print(f"the graph has no concept similar to {escape(repr(text))}")
        return
    shown = new_table("key", "name", "type", "score", "matched", "how")
    for match in result.concepts:
        columns = match.key, described(match), match.type, f"{match.score:.3f}", match.matched, match.how
        shown.add_row(*[escape(column) for column in columns])
    print_table(console, shown)
    if result.ambiguous:
        console.print("ambiguous: several concepts have the best score")


def table(console: Console, answer: Rows) -> None:
    """Print the rows that a Cypher query returned."""
    shown = new_table(*[escape(column) for column in answer.columns])
    for row in answer.rows:
        shown.add_row(*[escape(str(value)) for value in row])
    print_table(console, shown)
    more = " (more rows were cut at the limit)" if answer.truncated else ""
    console.print(f"{counted(len(answer.rows), 'row')}{more}")


def stats(console: Console, address: str, result: Stats) -> None:
    """Print the counts, releases and digest of a graph."""
    console.print(escape(address))
    for title, numbers in (("concepts", result.concepts), ("edges", result.edges)):
        shown = new_table(title, "n")
        for name, n in numbers.items():
            shown.add_row(name, f"{n:,}")
        print_table(console, shown)
    releases(console, result.releases)
    console.print(f"digest {result.digest}")


def releases(console: Console, listed: Sequence[Release]) -> None:
    """Print releases as a table."""
    shown = new_table("source", "release", "state", "rows", "kept", "rejected", "loaded at")
    for release in listed:
        numbers = [f"{n:,}" for n in (release.rows, release.kept, release.rejected)]
        shown.add_row(
            escape(release.source), escape(release.label), release.state, *numbers, release.loaded_at[:_SECOND]
        )
    print_table(console, shown)
    for release in listed:
        if release.similarity is not None:
            made = ", ".join(f"{_words(name)} {value}" for name, value in release.similarity.to_dict().items() if value)
            field(console, escape(f"{release.source}:{release.label}: "), escape(made))


def hits(console: Console, text: str, result: Hits) -> None:
    """Print the hits of a literature search, best first."""
    shown = new_table("rank", "score", "PMID", "study", "title")
    for hit in result.hits:
        mark = "[RETRACTED] " if hit.retracted else ""
        study = kind_of_study(hit.design, hit.organism)
        shown.add_row(str(hit.rank), f"{hit.score:.3f}", str(hit.pmid), escape(study), escape(mark + hit.title))
    print_table(console, shown)
    info = result.index
    console.print(
        f"{len(result.hits)} of {info.documents:,} documents for {escape(repr(text))}; "
        f"BM25 k1 {info.k1:g}, b {info.b:g}, analyser {info.analyzer}"
    )


def articles(console: Console, shown: Sequence[Mapping[str, Any]]) -> None:
    """Print articles: title, source, abstract and the keys of their concepts."""
    for article in shown:
        mark = "[RETRACTED] " if article["retracted"] else ""
        field(console, f"PMID {article['pmid']}  ", escape(mark + article["title"]))
        source = ", ".join(str(part) for part in (article["journal"], article["year"]) if part)
        people = counted(article["participants"], "participant") if article["participants"] else ""
        study = ", ".join(filter(None, (kind_of_study(article["design"], article["organism"]), people)))
        for name, text in (("source    ", source), ("study     ", study), ("abstract  ", article["abstract"])):
            if text:
                field(console, name, escape(text))
        if article["concepts"]:
            field(console, "concepts  ", escape(", ".join(article["concepts"])))


def receipt(console: Console, result: "Receipt") -> None:
    """Print the receipt of a load: rows, rejected rows and changes."""
    shape = result.to_dict()
    rows = shape["rows"]
    release = label(shape["release"], [file["path"] for file in shape["files"]])
    console.print(f"release {escape(release)} in {shape['seconds']:.1f} s")
    console.print(f"rows: {rows['read']:,} read, {rows['kept']:,} kept, {rows['rejected']:,} rejected")
    if repeated := rows.get("repeated"):
        console.print(f"  {repeated:,}  repeated (only the last copy of a PMID in these files is used)")
    for reason, n in shape["rejected_by_reason"].items():
        console.print(f"  {n:,}  {reason}")
    if shape["rejects_file"]:
        console.print(f"  the rejected rows are in {escape(shape['rejects_file'])}")
    for what in ("edges", "concepts", "documents", "similarities", "contradictions"):
        counts = shape.get(what)
        if counts:
            console.print(f"{what}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
    if result.verified:
        console.print(
            f"verified: {result.verified.concepts:,} concepts and {result.verified.edges:,} edges counted, "
            f"{result.verified.looked_at:,} compared one by one"
        )
    if result.offline:
        console.print(f"not live yet ({result.offline.step}): {escape(result.offline.next)}", soft_wrap=True)


def counts(console: Console, shape: Mapping[str, object]) -> None:
    """Print the entries of a summary in words, one per line. Entries that are None are left out."""
    for name, value in shape.items():
        if value is not None:
            told = ", ".join(f"{part} {n}" for part, n in value.items()) if isinstance(value, Mapping) else str(value)
            field(console, f"{_words(name)}: ", escape(told if isinstance(value, str) else _words(told)))


def checks(console: Console, findings: "Sequence[Check]") -> None:
    """Print the checks of `truthhypo doctor`."""
    for check in findings:
        mark = "[green]ok   [/green]" if check.ok else "[red]wrong[/red]"
        field(console, f"{mark}  ", f"{escape(check.name)}: {escape(check.found)}")
        if check.remedy:
            field(console, "       ", f"to fix it: {escape(check.remedy)}")


def rebuilt(console: Console, done: "Rebuild") -> None:
    """Print the damage that a rebuild found, and what was restored or removed."""
    for name, store in (("graph", done.graph), ("literature", done.literature)):
        console.print(f"{name} {escape(store.address)}: {store.state}")
        for line in store.damage:
            console.print(f"  {escape(line)}")
        if store.kept:
            console.print(f"  the damaged folder is kept at {escape(store.kept)}; remove it when you no longer need it")
    for line in done.snapshots:
        console.print(f"snapshot {escape(line)}")
    for path in done.removed:
        console.print(f"removed {escape(path)}: it is made again when it is needed")
    for lost in done.load_again:
        origin = f"from {' '.join(lost.files)}" if lost.files else "(HOME no longer knows its files)"
        console.print(f"load this again, because no snapshot contains it: {escape(f'{lost.load} {origin}')}")


def demo(console: Console, played: "DemoResult") -> None:
    """Print the result of the demo: the loaded files, the judgements of three statements, and commands to try next."""
    console.print("[bold]Loaded into embedded stores[/bold]")
    for line in played.loaded:
        console.print(f"  {escape(line)}")
    console.print(f"  in {escape(played.home)}\n  {played.note}")
    for number, judged in enumerate(played.statements, 1):
        console.rule(f"[bold]{number}. {escape(judged.text)}[/bold]", align="left")
        ground(console, judged.ground, played.names)
        risk(console, judged.risk, played.names)
    console.rule("[bold]Try next[/bold]", align="left")
    for command in played.next:
        console.print(f"  {escape(command)}", soft_wrap=True)


def _name(key: str, names: Mapping[str, Concept]) -> str:
    return escape(f"{described(names[key])} ({key})" if key in names and names[key].synonyms else key)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _known(hop: Hop) -> str:
    """Return the articles and the belief of an edge, as markup."""
    pmids = f", PMID {_pmids(hop.pmids)}" if hop.pmids else ""
    return f"[dim]{counted(hop.articles, 'article')}, belief {hop.belief:.3f}{pmids}[/dim]"


def _pmids(pmids: Sequence[int]) -> str:
    more = ", ..." if len(pmids) > SHOWN else ""
    return ", ".join(map(str, pmids[:SHOWN])) + more
