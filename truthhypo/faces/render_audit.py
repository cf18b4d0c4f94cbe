"""Print an audit on a terminal: first the limits, then the changes, then the content."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from truthhypo.faces.layout import new_table, print_table

if TYPE_CHECKING:
    from ingest.audit.audit_report import Audit
    from ingest.audit.census import Distribution
    from ingest.audit.limits import Check
    from ingest.audit.movement import Move, Movement, Passage

#: Maximum number of rows in a table. The JSON contains all rows.
SHOWN = 10


def audit(console: Console, found: "Audit") -> None:
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
    _counts(console, "relation", [(one.relation, one.edges) for one in found.relations if one.edges])
    _counts(console, "concepts", [(one.type, one.concepts) for one in found.types if one.concepts])
    _distribution(console, "articles per edge", found.articles)
    _distribution(console, "edges per concept", found.degrees)
    shown = new_table("hub", "edges", "share of all")
    for hub in found.hubs[:SHOWN]:
        shown.add_row(_named(hub.key, hub.name), f"{hub.degree:,}", f"{hub.share:.2%}")
    print_table(console, shown)


def _limits(console: Console, checks: Sequence["Check"]) -> None:
    shown = new_table("limit", "measured", "allowed", "")
    for check in checks:
        result = "[green]passed[/green]" if check.passed else "[red]exceeded[/red]"
        measured = ("-", "not checked") if check.value is None else (f"{check.value:.2%}", result)
        shown.add_row(check.name, measured[0], f"{check.limit:.2%}", measured[1])
    print_table(console, shown)


def _movement(console: Console, moved: "Movement") -> None:
    edges = moved.edges
    console.print(
        f"\nedges: {edges.added:,} added, {edges.changed:,} changed, {edges.removed:,} removed; "
        f"growth factor {moved.growth:.4f}, typical {moved.typical_growth:.4f}"
    )
    console.print(f"concepts: {moved.new_concepts:,} new, {moved.lost_concepts:,} lost")
    shown = new_table("changed most", "before", "after", "expected", "difference")
    for move in sorted((*moved.relations, *moved.pairs), key=lambda m: -abs(m.after - m.expected))[:SHOWN]:
        off = f"{move.relative:+.1%}" if move.before else "new"
        shown.add_row(_cell(move), f"{move.before:,}", f"{move.after:,}", f"{move.expected:,.0f}", off)
    print_table(console, shown)
    for title, passages in (("lost concept", moved.lost), ("new concept", moved.new)):
        _passages(console, title, passages)


def _passages(console: Console, title: str, passages: Sequence["Passage"]) -> None:
    if not passages:
        return
    shown = new_table(title, "edges")
    for one in passages[:SHOWN]:
        shown.add_row(_named(one.key, one.name), f"{one.degree:,}")
    print_table(console, shown)


def _counts(console: Console, title: str, counts: Sequence[tuple[str, int]]) -> None:
    shown = new_table(title, "n")
    for name, n in counts:
        shown.add_row(escape(name), f"{n:,}")
    print_table(console, shown)


def _distribution(console: Console, title: str, spread: "Distribution") -> None:
    console.print(
        f"{title}: mean {spread.mean:.1f}, median {spread.median:,}, 99 % up to {spread.p99:,}, largest {spread.max:,}"
    )


def _cell(move: "Move") -> str:
    return " ".join(part for part in (move.head, move.relation, move.tail) if part)


def _named(key: str, name: str | None) -> str:
    return escape(key if name is None else f"{name} ({key})")
