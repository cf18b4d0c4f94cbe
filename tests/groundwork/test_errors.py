"""The error classes form the tree in the docstring of `errors`. Every error says what was seen, what was expected and
what to do."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork import errors
from groundwork.errors import (
    MASK,
    InputError,
    TimeLimit,
    TooManyRejects,
    TruthHypoError,
    UnknownConcept,
    without_password,
    without_secrets,
)

DRAWN = re.compile(r"^ {4}(?P<lines>[│├└─ ]*)(?P<name>[A-Z]\w+) +(?P<code>exit code|\d)", re.M)


def tree():
    """(name, parent, exit code) for each class as the docstring draws it."""
    parents, drawn = {}, []
    for line in DRAWN.finditer(errors.__doc__):
        depth = len(line["lines"]) // 4
        parents[depth] = line["name"]
        drawn.append((line["name"], parents.get(depth - 1), line["code"]))
    return drawn


def defined():
    return {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, TruthHypoError)
    }


def test_the_drawing_holds_every_class_and_no_other():
    assert {name for name, _, _ in tree()} == set(defined())
    assert len(tree()) == len(defined())


@pytest.mark.parametrize(("name", "parent", "code"), tree())
def test_each_stands_under_its_parent_with_its_exit_code(name, parent, code):
    kind = defined()[name]
    assert kind.__base__.__name__ == (parent or "Exception")
    if code.isdigit():
        assert kind.exit_code == int(code)
    assert kind.__doc__


def test_an_error_says_what_was_seen_and_expected_and_what_to_do():
    assert str(InputError("a file", "a folder", "make one")) == "a file\nExpected: a folder\nTo fix it: make one"
    assert str(InputError("a file")) == "a file"


def test_an_unknown_concept_names_the_nearest():
    error = UnknownConcept("asprin", ("Chemical|MESH:D001241 (aspirin)",))
    assert "'asprin'" in error.seen
    assert "aspirin" in error.seen
    assert error.remedy
    assert "no similar name" in UnknownConcept("zzz").seen


def test_a_time_limit_names_the_limit_and_its_setting():
    error = TimeLimit("a look-up", 2.5, "graph_timeout")
    assert "2.5 s" in str(error)
    assert "graph_timeout" in str(error)


def test_a_load_with_too_many_rejects_still_has_its_receipt():
    error = TooManyRejects("seen", "wanted", "remedy", {"rows": 1})
    assert error.receipt == {"rows": 1}
    assert isinstance(error, TruthHypoError)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://u:pw@host:1", f"https://u:{MASK}@host:1"),
        ("https://u:p/w@host", f"https://u:{MASK}@host"),
        ("bolt://u:p@w@bad host:9x", f"bolt://u:{MASK}@bad host:9x"),
        ("htps:/u:pw@host", f"htps:/u:{MASK}@host"),
        ("https://host:9200", "https://host:9200"),
        ("embedded:/a:b/c", "embedded:/a:b/c"),
        ("memory:", "memory:"),
    ],
)
def test_a_password_is_masked(address, shown):
    assert without_password(address) == shown


@given(st.text(alphabet="Qß?/#@ %", min_size=1).map(lambda text: "secret" + text))
def test_a_password_of_any_characters_is_removed(password):
    assert "secret" not in without_password(f"https://user:{password}@host:9200/path")


def test_secrets_that_a_server_repeats_are_taken_out():
    environment = {"ANTHROPIC_API_KEY": "abcdef-123456", "PATH": "/usr/bin", "SHORT_TOKEN": "x"}
    said = "key abcdef-123456, ours mine-own, sk-proj-aaaabbbbcccc and Bearer eyJhbGciOi.x at /usr/bin"
    told = without_secrets(said, ["mine-own", ""], environment)
    assert told == "key ***, ours ***, sk-*** and Bearer *** at /usr/bin"
