"""Markdown of the generated parts of the cards: what weights and shipped files say about themselves."""

from importlib.resources import files
from typing import Any

from groundwork.reading.encoder import shipped
from truthhypo.hypotheses.release import TABLE_1


def reader() -> str:
    """Return the card that the shipped weights of the encoder carry, as tables."""
    weights = shipped()
    card: dict[str, Any] = dict(weights.card)
    rows = [
        ("`sha256` of the file", f"`{weights.sha256}`"),
        *((f"`{name}`", str(card[name])) for name in ("made", "base", "epochs", "pieces", "threshold")),
        *((f"F1 on BioRED Dev, {name}", f"{value:.3f}") for name, value in card["biored_dev"].items()),
    ]
    facts = "\n".join(f"| {name} | {value} |" for name, value in rows)
    columns = ("signed", "found", "right", "others", "decided")
    figures = "\n".join(
        f"| {name} | " + " | ".join(str(each[column]) for column in columns) + " |"
        for name, each in card["set_aside"].items()
    )
    fitted = "\n".join(f"| {name} | {count:,} |" for name, count in card["rows"].items())
    data = "\n".join(f"| {name} | `{digest}` |" for name, digest in card["data"].items())
    return (
        f"| fact | value |\n|---|---|\n{facts}\n\n"
        f"| set aside | {' | '.join(columns)} |\n|---|---|---|---|---|---|\n{figures}\n\n"
        f"| fitted on | rows an epoch |\n|---|---|\n{fitted}\n\n| folder | SHA-256 |\n|---|---|\n{data}\n"
    )


def sample() -> str:
    """Return the files of the sample release with their sizes."""
    rows = [
        f"| `{each.name}` | {len(each.read_bytes()):,} |"
        for each in sorted(files("truthhypo.sample").iterdir(), key=lambda each: each.name)
        if each.is_file() and each.name.endswith((".tsv", ".pubtator", ".xml", ".txt"))
    ]
    return "| file of the sample release | bytes |\n|---|---|\n" + "\n".join(rows) + "\n"


def published() -> str:
    """Return the counts of the paper's Table 1, from which `bench build` also takes them."""
    rows = [f"| {task} | {label} | {count} |" for task, labels in TABLE_1.items() for label, count in labels.items()]
    total = sum(count for labels in TABLE_1.values() for count in labels.values())
    return "| task | label | instances |\n|---|---|---|\n" + "\n".join(rows) + f"\n| all | | {total} |\n"
