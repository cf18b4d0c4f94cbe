"""A local model whose files are missing is reported by `connect`, before torch is imported."""

import json
import sys
from types import SimpleNamespace

import pytest

import truthhypo
from groundwork import model_files
from groundwork.errors import InputError, ModelUnreachable

WHOLE = {"config.json", "model.safetensors"}
PARTS = {
    "model-1.safetensors": "x",
    "model.safetensors.index.json": json.dumps({"weight_map": {"a": "m-2.safetensors"}}),
}


@pytest.fixture
def installed(monkeypatch):
    """The extra is installed, and the hub's client has some models in its cache and on its server."""
    cached, offered = {}, {}

    def snapshot(name, **_):
        if name not in cached:
            raise FileNotFoundError(name)
        return str(cached[name])

    def info(name, **_):
        if name not in offered:
            raise ConnectionError("Name or service not known")
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=file) for file in offered[name]])

    hub = SimpleNamespace(snapshot_download=snapshot, HfApi=lambda: SimpleNamespace(model_info=info))
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setattr(model_files, "find_spec", lambda name: name)
    return SimpleNamespace(cached=cached, offered=offered)


def folder_of(path, files):
    path.mkdir()
    for name, content in files.items():
        (path / name).write_text(content)
    return path


@pytest.mark.parametrize(
    ("place", "files", "seen"),
    [
        ("{0}/none", None, "no such folder: {0}/none"),
        ("./no-such-model", None, "no such folder: no-such-model"),
        ("~/no/such/model", None, "no such folder: "),
        ("a/b/c", None, "no such folder: a/b/c"),
        ("{0}/held", {}, "{0}/held has no config.json, model.safetensors or pytorch_model.bin"),
        ("{0}/held", {"config.json": "{}"}, "{0}/held has no model.safetensors or pytorch_model.bin"),
        ("{0}/held", {"config.json": "{}", **PARTS}, "{0}/held has no m-2.safetensors"),
        ("{0}/held/config.json", {"config.json": "{}"}, "config.json is not a folder"),
    ],
)
@pytest.mark.parametrize("kind", ["nli", "minicheck", "huggingface"])
def test_connect_names_a_missing_folder_or_missing_weights(tmp_path, kind, place, files, seen):
    if files is not None:
        folder_of(tmp_path / "held", files)
    name = f"{kind}:{place.format(tmp_path)}"
    with pytest.raises(InputError) as refused:
        truthhypo.connect(home=tmp_path, **{"model" if kind == "huggingface" else "judge": name})
    assert seen.format(tmp_path) in refused.value.seen


def test_connect_names_a_missing_file_of_weights(tmp_path):
    with pytest.raises(InputError, match=r"no such file: .*m\.gguf"):
        truthhypo.connect(home=tmp_path, model=f"huggingface:{tmp_path}/m.gguf")


def test_connect_names_the_missing_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(model_files, "find_spec", lambda _: None)
    for name, extra in (("nli:a/b", "models"), ("huggingface:a/b", "huggingface")):
        with pytest.raises(InputError, match=rf"truthhypo\[{extra}\]"):
            model_files.require_model(name)


def test_a_model_that_is_neither_here_nor_on_the_hub_is_reported_at_once(tmp_path, installed):
    with pytest.raises(ModelUnreachable, match=r"(?s)no downloaded model a/b .*not known.*HF_HUB_OFFLINE"):
        truthhypo.connect(home=tmp_path, judge="nli:a/b")
    installed.offered["a/b"] = {"config.json", "tf_model.h5"}
    with pytest.raises(InputError, match=r"the hub's model a/b has no model\.safetensors"):
        truthhypo.connect(home=tmp_path, judge="nli:a/b")


@pytest.mark.parametrize("name", ["nli:a/b", "minicheck:b", "huggingface:b", "nli:{0}/held", "openai:x", "rules", ""])
def test_a_model_that_is_here_or_on_the_hub_is_accepted(tmp_path, installed, name):
    whole = folder_of(tmp_path / "held", dict.fromkeys(WHOLE, "{}"))
    installed.cached["a/b"] = whole
    installed.offered["b"] = WHOLE
    model_files.require_model(name.format(tmp_path))


@pytest.mark.parametrize(
    ("named", "seen", "wanted"),
    [
        (
            {"judge": "nil:foo"},
            "there is no judge 'nil:foo'",
            "rules, nli:NAME_OR_PATH, minicheck:NAME_OR_PATH or medv1:NAME",
        ),
        (
            {"judge": "nli:"},
            "there is no judge 'nli:'",
            "rules, nli:NAME_OR_PATH, minicheck:NAME_OR_PATH or medv1:NAME",
        ),
        ({"judge": "openai:gpt-4o"}, "there is no judge 'openai:gpt-4o'", "rules, nli:NAME_OR_PATH"),
        ({"model": "opnai:gpt-4o"}, "no provider of language models named 'opnai'", "openai, anthropic, ollama"),
        ({"model": "nli:foo"}, "no provider of language models named 'nli'", "huggingface, scripted"),
        ({"model": "gpt-4o"}, "there is no language model named 'gpt-4o'", "PROVIDER:NAME"),
        ({"model": "upstage:solar"}, "the provider 'upstage' is not installed", "the package langchain-upstage"),
    ],
)
def test_connect_names_the_forms_of_models_and_judges(tmp_path, named, seen, wanted):
    with pytest.raises(InputError) as told:
        truthhypo.connect(home=tmp_path, **named)
    assert seen in told.value.seen
    assert wanted in told.value.wanted
