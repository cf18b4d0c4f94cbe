"""Loads into an embedded store, by this process and by another."""

import subprocess
import sys
from textwrap import dedent

from groundwork.records import Abstract, Text


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
