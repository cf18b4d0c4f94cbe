"""Addresses of graph stores: relative paths are resolved, and invalid addresses are refused."""

import pytest

import cypher
from groundwork.errors import InputError


def test_a_relative_path_is_resolved_in_the_current_folder(tmp_path, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    assert cypher.connect("embedded:g", settings).address == f"embedded:{tmp_path / 'g'}"


@pytest.mark.parametrize("address", ["embedded:~nobody-there/g", "embedded:", "ftp://u:hunter2@host", "neo4j:host"])
def test_an_invalid_address_is_refused_without_showing_its_password(settings, address):
    with pytest.raises(InputError) as refused:
        cypher.connect(address, settings)
    assert "hunter2" not in str(refused.value)
