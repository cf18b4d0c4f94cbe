"""Files to fill a HOME with that is worth serving: a large graph, names of its concepts, and abstracts about its edges.

    python -m benchmarks.performance.served_home FOLDER --rows 5000000 --concepts 60000 --articles 100000
    truthhypo --home HOME ingest concepts FOLDER/names.tsv
    truthhypo --home HOME ingest relations FOLDER/relations.gz
    truthhypo --home HOME ingest pubmed FOLDER/articles.jsonl

Names and abstracts are made up, but read as English: each article states the relation of one edge and mentions others.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from benchmarks.performance.generator.release import relations

_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"]
#: Forms of names, by type.
_FORMS = {"Chemical": "{}mab", "Disease": "{} syndrome", "Gene": "{}"}
_STATED = {
    "treat": "treats",
    "cause": "causes",
    "inhibit": "inhibits",
    "stimulate": "stimulates",
    "prevent": "prevents",
}
_OPENING = "{0} and {1} have been discussed in small trials and in animal models."
_PLAIN = (
    "Patients were followed for 24 weeks, and {0} was measured at each visit.",
    "We did not find a relation between {0} and {1} in the control group.",
    "The response to {0} was larger in patients with low {1} (p < 0.05).",
    "Further studies of {0} are needed, since few of them lasted longer than a year.",
    "The groups did not differ in age, in sex, or in the number of earlier treatments.",
)
_KEPT = 200_000  # maximum number of rows that articles are about


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.performance.served_home", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--articles", type=int, default=100_000)
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    file = asked.folder / "relations.gz"
    relations(file, rows=asked.rows, concepts=asked.concepts, traps=0.0)
    names, rows = _read(file, chance)
    with (asked.folder / "names.tsv").open("w", encoding="utf-8") as out:
        out.writelines(
            f"{n}\t{key.replace('|', chr(9), 1)}\t{name}\tPubTator3\n" for n, (key, name) in enumerate(names.items(), 1)
        )
    with (asked.folder / "articles.jsonl").open("w", encoding="utf-8") as out:
        for pmid in range(1, asked.articles + 1):
            title, text = _article(*chance.choice(rows), list(names.values()), chance)
            out.write(json.dumps({"id": f"pubmed{pmid}", "PMID": pmid, "title": title, "content": text}) + "\n")


def _read(file: Path, chance: random.Random) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """Return a name for every concept of a release, and some of its rows with names in place of keys."""
    words, names, rows = _words(chance), dict[str, str](), list[tuple[str, str, str]]()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            _, relation, head, tail = line.rstrip("\n").split("\t")
            for key in (head, tail):
                if key not in names:
                    names[key] = _FORMS.get(key.partition("|")[0], "{} variant").format(next(words))
            if len(rows) < _KEPT:
                rows.append((relation, names[head], names[tail]))
    return names, rows


def _words(chance: random.Random) -> Iterator[str]:
    every = ["".join(parts) for parts in product(_SYLLABLES, repeat=4)] + [
        "".join(parts) for parts in product(_SYLLABLES, repeat=5)
    ]
    chance.shuffle(every)
    return map(str.capitalize, every)


def _article(relation: str, head: str, tail: str, others: Sequence[str], chance: random.Random) -> tuple[str, str]:
    """Return title and abstract of an article that states a relation."""
    stated = f"{head} {_STATED.get(relation, 'is associated with')} {tail}."
    more = [form.format(*chance.choices((head, tail, chance.choice(others)), k=2)) for form in chance.sample(_PLAIN, 4)]
    return f"{head} in {tail}", " ".join([_OPENING.format(head, tail), *more, f"In conclusion, {stated}"])


if __name__ == "__main__":
    main()
