"""Names that no parser and no list of genes has seen, for sentences that must be read by their structure alone."""

from pathlib import Path

from groundwork.linking import Linker
from tests.knowhd.named import knowing

NAMED = {
    "Chemical": "quelistat, zorbafen, mirvanib, drelutine, fostakin, pelumab",
    "Disease": "krell fever, head and neck cancer|head and neck neoplasms",
    "Gene": "QLT2, ZRB1, MRV3, DRL4, FST5, p53",
}


def linker(home: Path) -> Linker:
    """A linker that knows the names."""
    return knowing(home, NAMED)
