"""Statements turned into their denials."""

import re

import pytest

from knowhd.claims.grammar.denial import denied
from knowhd.claims.grammar.masked import Masked
from tests.knowhd.conftest import mention


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Carbidopa causes dyskinesia.", "Carbidopa does not cause dyskinesia."),
        ("Carbidopa lowered dyskinesia.", "Carbidopa did not lower dyskinesia."),
        ("Carbidopa can cause dyskinesia.", "Carbidopa can not cause dyskinesia."),
        ("Dyskinesia is caused by carbidopa.", "Dyskinesia is not caused by carbidopa."),
        ("Carbidopa is a cause of dyskinesia.", "Carbidopa is not a cause of dyskinesia."),
        ("Carbidopa against dyskinesia.", "It is not true that Carbidopa against dyskinesia."),
    ],
)
def test_a_statement_is_denied(text, expected):
    names = re.findall("carbidopa|dyskinesia", text, re.IGNORECASE)
    assert denied(Masked(text, [mention(text, name) for name in names])) == expected
