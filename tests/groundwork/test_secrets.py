"""No way of writing an address shows its password."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import MASK, without_password, without_secrets


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
