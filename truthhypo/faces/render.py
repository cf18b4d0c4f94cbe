"""Print look-ups, loads, checks, audits and watched statements as text for people.

JSON comes from `to_dict` of the records instead.
"""

from __future__ import annotations

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

if TYPE_CHECKING:
    from ingest.audit.audit_report import Audit
    from ingest.audit.audit_report import Check as Limit
    from ingest.audit.census import Distribution, Movement, Passage
    from ingest.receipt import Receipt
    from truthhypo.faces.demo import DemoResult
    from truthhypo.faces.doctor import Check
    from truthhypo.rebuild import Rebuild
    from truthhypo.service.watching import Statement, StatementReport, WatchReport


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


def receipt(console: Console, result: Receipt) -> None:
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


def checks(console: Console, findings: Sequence[Check]) -> None:
    """Print the checks of `truthhypo doctor`."""
    for check in findings:
        mark = "[green]ok   [/green]" if check.ok else "[red]wrong[/red]"
        field(console, f"{mark}  ", f"{escape(check.name)}: {escape(check.found)}")
        if check.remedy:
            field(console, "       ", f"to fix it: {escape(check.remedy)}")


def rebuilt(console: Console, done: Rebuild) -> None:
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


def demo(console: Console, played: DemoResult) -> None:
    """Print the result of the demo: the loaded files, the judgements of three statements, and commands to try next."""
    from truthhypo.faces.render_judgement import ground, risk  # these import judges

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
    more = ", ..." if len(hop.pmids) > SHOWN else ""
    pmids = f", PMID {', '.join(map(str, hop.pmids[:SHOWN]))}{more}" if hop.pmids else ""
    return f"[dim]{counted(hop.articles, 'article')}, belief {hop.belief:.3f}{pmids}[/dim]"


#: Maximum number of rows in a table. The JSON contains all rows.
_AUDITED = 10


def audit(console: Console, found: Audit) -> None:
    """Print the main figures of an audit."""
    release = found.release
    against = f", against {found.against.label}" if found.against else ", without a release to compare with"
    console.print(f"[bold]{escape(f'{release.source}:{release.label}{against}')}[/bold]")
    rows = release.rows
    console.print(f"rows: {rows.read:,} read, {rows.kept:,} kept, {rows.rejected:,} rejected")
    for reason, n in release.rejected_by_reason.items():
        console.print(f"  {n:,}  {escape(reason)}")
    _limits(console, found.limits)
    if found.movement is not None:
        _movement(console, found.movement)
    console.print(
        f"\n{found.edges:,} edges, {found.self_relations:,} of them self-relations, "
        f"{found.unexpected_pairs:,} with a relation that is not expected between their types; "
        f"PMIDs {found.pmids.first} to {found.pmids.last}"
    )
    _table_of_counts(console, "relation", [(one.relation, one.edges) for one in found.relations if one.edges])
    _table_of_counts(console, "concepts", [(one.type, one.concepts) for one in found.types if one.concepts])
    _distribution(console, "articles per edge", found.articles)
    _distribution(console, "edges per concept", found.degrees)
    shown = new_table("hub", "edges", "share of all")
    for hub in found.hubs[:_AUDITED]:
        shown.add_row(_named(hub.key, hub.name), f"{hub.degree:,}", f"{hub.share:.2%}")
    print_table(console, shown)


def _limits(console: Console, checks: Sequence[Limit]) -> None:
    shown = new_table("limit", "measured", "allowed", "")
    for check in checks:
        result = "[green]passed[/green]" if check.passed else "[red]exceeded[/red]"
        measured = ("-", "not checked") if check.value is None else (f"{check.value:.2%}", result)
        shown.add_row(check.name, measured[0], f"{check.limit:.2%}", measured[1])
    print_table(console, shown)


def _movement(console: Console, moved: Movement) -> None:
    edges = moved.edges
    console.print(
        f"\nedges: {edges.added:,} added, {edges.changed:,} changed, {edges.removed:,} removed; "
        f"growth factor {moved.growth:.4f}, typical {moved.typical_growth:.4f}"
    )
    console.print(f"concepts: {moved.new_concepts:,} new, {moved.lost_concepts:,} lost")
    shown = new_table("changed most", "before", "after", "expected", "difference")
    for move in sorted((*moved.relations, *moved.pairs), key=lambda m: -abs(m.after - m.expected))[:_AUDITED]:
        off = f"{move.relative:+.1%}" if move.before else "new"
        cell = " ".join(part for part in (move.head, move.relation, move.tail) if part)
        shown.add_row(cell, f"{move.before:,}", f"{move.after:,}", f"{move.expected:,.0f}", off)
    print_table(console, shown)
    for title, passages in (("lost concept", moved.lost), ("new concept", moved.new)):
        _passages(console, title, passages)


def _passages(console: Console, title: str, passages: Sequence[Passage]) -> None:
    if not passages:
        return
    shown = new_table(title, "edges")
    for one in passages[:_AUDITED]:
        shown.add_row(_named(one.key, one.name), f"{one.degree:,}")
    print_table(console, shown)


def _table_of_counts(console: Console, title: str, counts: Sequence[tuple[str, int]]) -> None:
    shown = new_table(title, "n")
    for name, n in counts:
        shown.add_row(escape(name), f"{n:,}")
    print_table(console, shown)


def _distribution(console: Console, title: str, spread: Distribution) -> None:
    console.print(
        f"{title}: mean {spread.mean:.1f}, median {spread.median:,}, 99 % up to {spread.p99:,}, largest {spread.max:,}"
    )


def _named(key: str, name: str | None) -> str:
    return escape(key if name is None else f"{name} ({key})")


#: Maximum number of PMIDs on one line.
_WATCHED = 10


def watched_statements(console: Console, held: Sequence[Statement]) -> None:
    """Print each watched statement with its last judgement."""
    for each in held:
        field(console, f"{each.id}  ", escape(each.text))
        field(console, "              ", f"[dim]{escape(standing(each.latest))}[/dim]")
    if not held:
        console.print("No statement is watched. To watch one: truthhypo watch add TEXT")


def watch_report(console: Console, found: WatchReport) -> None:
    """Print each statement that was judged, has changed or failed, and then the counts."""
    for each in found.statements:
        if each.changed or each.error or each.judged:
            _statement(console, each)
    failed = f", {found.failed} failed" if found.failed else ""
    console.print(f"{found.judged} judged, {found.skipped} skipped because their evidence is the same{failed}")


def standing(judgement: Mapping[str, Any] | None) -> str:
    """Return the verdicts and the risk of a judgement in one line."""
    if judgement is None:
        return "not judged yet"
    verdicts = ", ".join(claim["verdicts"]["both"].replace("_", " ") for claim in judgement["claims"]) or "no claim"
    if judgement["hrs"] is None:
        return f"{verdicts}; risk not measured"
    thin = " (thin evidence)" if "thin" in judgement["flags"] else ""
    return f"{verdicts}; HRS {judgement['hrs']:.3f}, strength {judgement['strength']:.3f}{thin}"


def _statement(console: Console, each: StatementReport) -> None:
    mark = "changed" if each.changed else "failed " if each.error else "judged "
    field(console, f"{mark}  ", escape(each.text))
    if each.error:
        field(console, "         ", escape(f"{each.error['seen']}. To fix it: {each.error['remedy']}"))
        return
    if each.changed:
        field(console, "         ", f"[dim]before: {escape(standing(each.before))}[/dim]")
    field(console, "         ", f"[dim]now:    {escape(standing(each.after))}[/dim]")
    for what, pmids in (("new in the evidence", each.pmids_added), ("no longer in the evidence", each.pmids_removed)):
        if pmids:
            more = f" and {len(pmids) - _WATCHED:,} more" if len(pmids) > _WATCHED else ""
            field(console, "         ", f"[dim]{what}: {', '.join(map(str, pmids[-_WATCHED:]))}{more}[/dim]")
