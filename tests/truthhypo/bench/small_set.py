"""A HOME with a small graph and a few abstracts, and a set over it: three tasks, four instances of each label."""

import json
from pathlib import Path
from shutil import copytree

from tests.loopback import Answer, completion, schema_of, well
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.options import TASKS

EACH = 4
HEAD = """models = ["rules", "openai:m"]
settings = ["parametric", "kg+lit"]
judges = ["model"]
select = ["majority", "groundedness"]"""


def instances() -> tuple[Instance, ...]:
    """Return instances. Only one pair is in the sample graph; the concepts of the others have no chains."""
    found = []
    for (first, second), (_, positive, negative, _) in TASKS.items():
        for number, label in enumerate([positive, negative, "no_relation"] * EACH):
            x, y = f"{first}|{first[0]}{number}", f"{second}|{900 + number}"
            if (first, number) == ("Chemical", 0):
                x, y = "Chemical|MESH:D019821", "Gene|3156"
            found.append(dataset.instance(x, y, label, x.rpartition("|")[2], y.rpartition("|")[2]))
    return tuple(found)


def build(folder: Path, sample_home: Path) -> tuple[Path, Path]:
    """Copy the sample HOME and write the set. Return the folders of both."""
    home, place = folder / "home", folder / "set"
    copytree(sample_home, home)
    dataset.write(place, instances())
    return home, place


def suite(folder: Path, **more: str) -> Path:
    """Write a suite: two models, two settings, two samples, one judge. `more` gives further lines by table."""
    path = folder / "suite.toml"
    head = more.pop("head", HEAD)
    tables = {"samples": "n = 2", "datasets.set": 'path = "set"\nlimit = 9', "judging": "joint = 4", **more}
    path.write_text(head + "\n" + "".join(f"[{name}]\n{text}\n" for name, text in tables.items()), "utf-8")
    return path


def answering(asked: dict) -> Answer:
    """Answer as a model that gives the first label and a reason. As a judge, it supports every claim with evidence."""
    schema = schema_of(asked)
    if "rationale" not in schema["properties"]:
        return well(asked)
    labels = schema["$defs"]["Label"]["enum"]
    return completion(json.dumps({"rationale": "Simvastatin lowers cholesterol.", "relation": labels[0]}))
