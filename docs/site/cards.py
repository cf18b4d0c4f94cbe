"""Markdown of the generated parts of the cards: what weights and shipped files say about themselves."""

from importlib.resources import files
from typing import Any

from groundwork.reading.weights import CLASSES, shipped
from truthhypo.hypotheses.partition import TABLE_1


def reader() -> str:
    """Return the card that the shipped weights of the relation reader carry, as tables."""
    weights = shipped()
    card: dict[str, Any] = {name: value for name, value in weights.card.items() if name != "data"}
    rows = [
        ("`model`", "multinomial logistic regression over named features"),
        ("`classes`", ", ".join(CLASSES)),
        ("`sha256` of the file", f"`{weights.sha256}`"),
        *_flat(card),
    ]
    data = "\n".join(f"| {each['name']} | `{each['sha256']}` |" for each in weights.card["data"])
    facts = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"| fact | value |\n|---|---|\n{facts}\n\n| fitted on | SHA-256 |\n|---|---|\n{data}\n"


def _flat(card: dict[str, Any], head: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in card.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{head}{name}.")
        else:
            rows.append((f"`{head}{name}`", f"{value:.3f}" if isinstance(value, float) else str(value)))
    return rows


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
