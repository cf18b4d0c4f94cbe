"""Words that only join a sentence to others are no part of a claim, wherever they stand."""

import pytest

from knowhd.claims.connectives import unjoined


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("However, aspirin lowers QLT2.", "Aspirin lowers QLT2."),
        ("Inhibiting QLT2 should therefore suppress tumours.", "Inhibiting QLT2 should suppress tumours."),
        ("Aspirin inhibits QLT2, which in turn activates ZRB1.", "Aspirin inhibits QLT2, which activates ZRB1."),
        ("Aspirin could thus be useful.", "Aspirin could be useful."),
        ("Blockers of QLT2 should hence be potent.", "Blockers of QLT2 should be potent."),
        ("Aspirin lowers QLT2, thus reducing pain.", "Aspirin lowers QLT2, thus reducing pain."),
        ("No drug has thus far lowered QLT2.", "No drug has thus far lowered QLT2."),
        ("Thus far, aspirin has not lowered QLT2.", "Thus far, aspirin has not lowered QLT2."),
    ],
)
def test_a_sentence_is_left_without_what_joins_it(text, expected):
    assert unjoined(text) == expected
