"""The queries of shared/guard-payloads.tsv, a small graph to run them on, and the processes that answer them."""

import os
from codecs import decode
from pathlib import Path

from tests.contracts.graphs import concept, edge, fill

REFUSED, LIMITED, ANSWERED = "exit 2", "ends within the limits", "exit 0"
_MARK = b"cypher.embedded.worker"


def payloads(data, wanted):
    """Return the queries whose expected outcome begins with `wanted`."""
    _, *lines = (data.parent / "guard-payloads.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t", 1) for line in lines]
    found = [
        decode(query.encode("latin-1", "backslashreplace"), "unicode_escape")
        for said, query in rows
        if said.startswith(wanted)
    ]
    assert found
    return found


def loaded(graph, data):
    """Load real relations between a few hundred concepts."""
    lines = (data / "pubtator3" / "derived_relation2pubtator3_from_api.tsv").read_text("utf-8").splitlines()
    articles = {}
    for pmid, relation, head, tail in (line.split("\t") for line in lines):
        articles.setdefault((min(head, tail), relation, max(head, tail)), set()).add(int(pmid))
    edges = [edge(head, relation, tail, *pmids) for (head, relation, tail), pmids in articles.items()]
    ends = {key for found in edges for key in (found.head, found.tail)}
    return fill(graph, edges, [concept(key, (f"the name of {key}", 1)) for key in sorted(ends)])


def workers(parent=None):
    """Return the ids of the worker processes that answer the free queries of a process (default: this one)."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:  # the process has ended meanwhile
            continue
        if len(words) > 3 and _MARK in words[2] and words[3] == str(parent or os.getpid()).encode():
            found.append(int(file.parent.name))
    return found
