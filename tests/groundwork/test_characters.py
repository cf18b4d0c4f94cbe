"""Texts that cannot be judged are refused with the reason."""

import pytest

from groundwork import readable
from groundwork.errors import UnfitText


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (None, "NoneType"),
        (" \n", "an empty text"),
        ("x" * 11, "a text of 11 characters"),
        ("a\ud83d", "surrogate"),
        ("a\0b", "a NUL"),
    ],
)
def test_a_text_that_cannot_be_judged_says_why(monkeypatch, text, seen):
    monkeypatch.setattr(readable, "LONGEST", 10)
    with pytest.raises(UnfitText, match=seen):
        readable.statement(text)
