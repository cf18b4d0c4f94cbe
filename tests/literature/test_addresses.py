from pathlib import Path

import pytest

import literature
from groundwork.errors import InputError


@pytest.mark.parametrize(
    "address", ["", "memory", "memory:x", "embedded:", "ftp://host", "neo4j://host:7687", "/tmp/x"]
)
def test_an_unknown_address_is_refused_and_the_known_forms_are_named(settings, address):
    with pytest.raises(InputError, match="embedded:PATH"):
        literature.connect(address, settings)


@pytest.mark.parametrize(
    "address", ["memory:", "embedded:/nowhere/at/all", "http://127.0.0.1:9", "https://host.invalid:9200"]
)
def test_connecting_does_not_open_the_store(settings, address):
    store = literature.connect(address, settings)
    assert store.address == address
    store.close()


def test_a_relative_path_is_resolved_in_the_current_folder(settings, tmp_path, monkeypatch):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        store = literature.connect("embedded:index", settings)
        assert store.address == f"embedded:{tmp_path / name / 'index'}"


def test_a_store_keeps_its_path_when_the_process_changes_its_folder(settings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = literature.connect("embedded:index", settings)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with store.writing():
        pass
    assert (tmp_path / "index").is_dir()


def test_a_tilde_is_the_home_folder(settings):
    assert literature.connect("embedded:~/index", settings).address == f"embedded:{Path.home() / 'index'}"


def test_the_home_folder_of_an_unknown_user_is_refused(settings):
    with pytest.raises(InputError, match="~no-such-user"):
        literature.connect("embedded:~no-such-user/index", settings)
