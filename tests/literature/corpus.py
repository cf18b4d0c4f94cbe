"""BioRED's abstracts as plain texts and as documents of the index. Tests that use it need the fixture `data`."""

import subprocess
import sys
from functools import cache
from textwrap import dedent

from groundwork.records import Abstract, Text
from tests.conftest import DATA


@cache
def biored() -> tuple[Abstract, ...]:
    """Return the 500 documents of Train and Dev."""
    titles: dict[int, str] = {}
    abstracts: list[Abstract] = []
    for part in ("Train", "Dev"):
        for line in (DATA / "biored" / f"{part}.PubTator").read_text("utf-8").splitlines():
            pmid, kind, text = [*line.split("|", 2), "", ""][:3]
            if kind == "t":
                titles[int(pmid)] = text
            elif kind == "a":
                abstracts.append(Abstract(int(pmid), None, Text(titles[int(pmid)], text)))
    return tuple(abstracts)


@cache
def biored_texts() -> dict[int, str]:
    """Title and abstract of each document."""
    return {a.pmid: f"{a.text.title} {a.text.abstract}" for a in biored()}


@cache
def biored_mentions() -> tuple[str, ...]:
    """Return all distinct annotated mentions, in order of appearance."""
    mentions: dict[str, None] = {}
    for part in ("Train", "Dev"):
        for line in (DATA / "biored" / f"{part}.PubTator").read_text("utf-8").splitlines():
            columns = line.split("\t")
            if len(columns) == 6 and columns[1].isdigit():
                mentions[columns[3]] = None
    return tuple(mentions)


def document(pmid: int, title: str) -> Abstract:
    return Abstract(pmid, None, Text(title, ""))


def load(store, *abstracts):
    with store.writing():
        store.put(abstracts)


def other_process(path, body: str) -> subprocess.Popen:
    """Start a Python process that runs `body`, in which `store` is the store at this path."""
    program = f"""
import os, sys, time
import literature
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
store = literature.connect("embedded:{path}", Settings())
{dedent(body)}
"""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
