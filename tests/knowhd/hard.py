"""A hundred texts of ours that are hard to take apart, with the claims a person would make; and what they name.

They were written before the rules for them. Odd lines were looked at while building, even ones were not.
"""

import re
from pathlib import Path

from groundwork.linking import Linker
from tests.knowhd.named import knowing

HARD = [line.split("\t") for line in (Path(__file__).parent / "claims_hard.tsv").read_text("utf-8").splitlines()]

_NAMED = {
    "Chemical": "aspirin|acetylsalicylic acid, warfarin, ibuprofen, metformin, insulin, clopidogrel, simvastatin, "
    "gefitinib, glucose, cholesterol",
    "Disease": "thrombosis, bleeding|hemorrhage, headache, stroke|strokes, type 2 diabetes, myocardial infarction, "
    "hypertension, nausea, tumours|neoplasms, inflammation",
    "Gene": "EGFR, AMPK, TP53, MDM2, PTGS1, PTGS2, KRAS, IL6|interleukin-6",
}


def plain(text: str) -> str:
    """Words alone, in lower case."""
    return re.sub(r"\W+", " ", text.lower()).strip()


def linker(home: Path) -> Linker:
    """A linker that knows what the texts name."""
    return knowing(home, _NAMED)
