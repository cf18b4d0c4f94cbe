"""Texts of ours that are hard to take apart, with the claims a person would make; and what they name.

They were written before the rules for them: a hundred, and later eighty further ones. Of both, odd lines were looked
at while building, even ones were not.
"""

import re
from pathlib import Path

from groundwork.linking import Linker
from tests.knowhd import made_up
from tests.knowhd.named import knowing

_REAL = {
    "Chemical": "aspirin|acetylsalicylic acid, warfarin, ibuprofen, metformin, insulin, clopidogrel, simvastatin, "
    "gefitinib, glucose, cholesterol",
    "Disease": "thrombosis, bleeding|hemorrhage, headache, stroke|strokes, type 2 diabetes, myocardial infarction, "
    "hypertension, nausea, tumours|neoplasms, inflammation",
    "Gene": "EGFR, AMPK, TP53, MDM2, PTGS1, PTGS2, KRAS, IL6|interleukin-6",
}


def texts(name: str) -> list[tuple[str, list[str]]]:
    """The texts of one set, `hard` or `further`, in order, each with its claims."""
    rows = (Path(__file__).parent / f"claims_{name}.tsv").read_text("utf-8").splitlines()
    return [(text, claims.split("|")) for text, claims in (row.split("\t") for row in rows)]


def plain(text: str) -> str:
    """Words alone, in lower case."""
    return re.sub(r"\W+", " ", text.lower()).strip()


def linker(home: Path) -> Linker:
    """A linker that knows what the texts name."""
    return knowing(home, {kind: f"{names}, {made_up.NAMED[kind]}" for kind, names in _REAL.items()})
