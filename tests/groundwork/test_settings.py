"""Settings: where each value comes from, and that secrets stay secret."""

import pytest

from groundwork.errors import InputError
from groundwork.settings import Settings, load

SECRET = "hunter2-not-to-be-shown"


def read(tmp_path, flags=None, environment=None, toml=None):
    file = tmp_path / "truthhypo.toml"
    if toml is not None:
        file.write_text(toml, "utf-8")
    return load(flags, environment or {}, file), str(file)


def test_without_any_source_every_setting_has_its_default(tmp_path):
    (settings, origins), _ = read(tmp_path)
    assert settings == Settings()
    assert set(origins.values()) == {"default"}
    assert set(origins) == set(Settings.model_fields)
    assert settings.model == "rules"


@pytest.mark.parametrize(
    ("sources", "value", "origin"),
    [
        ("t", 1.0, "file"),
        ("te", 2.0, "TRUTHHYPO_K1"),
        ("tef", 3.0, "flag"),
        ("tf", 3.0, "flag"),
        ("e", 2.0, "TRUTHHYPO_K1"),
    ],
)
def test_flags_override_the_environment_which_overrides_the_file(tmp_path, sources, value, origin):
    (settings, origins), file = read(
        tmp_path,
        {"k1": 3.0} if "f" in sources else None,
        {"TRUTHHYPO_K1": "2.0"} if "e" in sources else None,
        "k1 = 1.0" if "t" in sources else None,
    )
    assert settings.k1 == value
    assert origins["k1"] == (file if origin == "file" else origin)
    assert origins["b"] == "default"


def test_a_flag_that_was_not_given_sets_nothing(tmp_path):
    (settings, origins), _ = read(tmp_path, {"k1": None}, {"TRUTHHYPO_K1": "2.0"})
    assert (settings.k1, origins["k1"]) == (2.0, "TRUTHHYPO_K1")


def test_our_own_variables_override_those_of_other_programs(tmp_path):
    alias = {"OPENAI_BASE_URL": "http://theirs/v1", "OPENAI_API_KEY": SECRET}
    (settings, origins), _ = read(tmp_path, environment=alias)
    assert settings.openai_base_url == "http://theirs/v1"
    assert settings.openai_api_key.get_secret_value() == SECRET
    assert origins["openai_api_key"] == "OPENAI_API_KEY"
    (settings, _), _ = read(tmp_path, environment=alias | {"TRUTHHYPO_OPENAI_BASE_URL": "http://ours/v1"})
    assert settings.openai_base_url == "http://ours/v1"


def test_an_unknown_name_in_the_file_is_reported_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"'modle' from .*truthhypo\.toml") as wrong:
        read(tmp_path, toml='modle = "rules"')
    assert "model" in wrong.value.wanted


def test_a_variable_that_is_no_setting_is_ignored(tmp_path):
    (settings, _), _ = read(tmp_path, environment={"TRUTHHYPO_SHARED": "/somewhere", "TRUTHHYPO_TEST_CACHE": "x"})
    assert settings == Settings()


@pytest.mark.parametrize(
    ("name", "value"), [("k1", "-1"), ("b", "1.5"), ("syst", "1"), ("threads", "0"), ("graph_timeout", "soon")]
)
def test_a_value_out_of_range_is_reported_with_its_source(tmp_path, name, value):
    with pytest.raises(InputError, match=f"setting {name} from TRUTHHYPO_{name.upper()}"):
        read(tmp_path, environment={f"TRUTHHYPO_{name.upper()}": value})


def test_errors_that_make_beliefs_negative_are_refused(tmp_path):
    with pytest.raises(InputError) as wrong:
        read(tmp_path, toml="syst = 0.9\nrand = 0.5")
    assert wrong.value.seen == "syst + rand = 1.4"
    assert wrong.value.wanted == "a sum of at most 1, so that beliefs are not negative"
    assert wrong.value.remedy == "lower syst or rand"


def test_a_file_that_is_not_toml_is_reported(tmp_path):
    with pytest.raises(InputError, match="is not TOML"):
        read(tmp_path, toml="k1 = ")


def test_secrets_are_shown_nowhere(tmp_path):
    secrets = {"graph_password": SECRET, "literature_password": SECRET, "openai_api_key": SECRET}
    (settings, origins), _ = read(tmp_path, secrets)
    for shown in (repr(settings), str(settings), settings.model_dump_json(), repr(origins)):
        assert SECRET not in shown
    with pytest.raises(InputError) as wrong:
        read(tmp_path, {"graph_password": [SECRET]})
    assert SECRET not in str(wrong.value)


def test_stores_are_under_home_unless_they_are_addressed(tmp_path):
    settings = Settings(home=tmp_path, literature="memory:")
    assert settings.graph_address == f"embedded:{tmp_path / 'graph'}"
    assert settings.literature_address == "memory:"


def test_every_setting_has_a_description():
    assert all(field.description for field in Settings.model_fields.values())
