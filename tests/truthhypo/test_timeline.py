"""Evidence over time: each year's verdict equals that of `ground` with the year's PMID, and each article counts
once."""

import json
import shutil

import pytest

import literature
from groundwork import manifest
from groundwork.errors import NothingLoaded
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from knowhd.options import GroundOptions
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.requests import TimelineRequest
from truthhypo.service.timeline import monotone, timeline, year_cuts
from truthhypo.world import World

FOR, AGAINST = "Ascorbic acid treats Parkinson disease.", "Ascorbic acid does not treat Parkinson disease."
#: Year, PMID and text of articles. The article of 2003 got its PMID later than those of 2004 and 2005.
ARTICLES = (
    (1999, 100, "Bees dance at noon."),
    (2000, 1000, FOR),
    (2001, 2000, AGAINST),
    (2001, 2001, f"{AGAINST} Placebo was better."),
    (2003, 5500, FOR),
    (2004, 4000, f"Once again, {FOR.lower()}"),
    (2005, 5000, "Bees dance."),
    *((2006, 6000 + n, f"In trial {n}, {FOR.lower()}") for n in range(1, 13)),
    (2007, 7000, "Simvastatin lowers cholesterol."),
)
TEXTS = (FOR, f"{AGAINST} Simvastatin lowers cholesterol.", "Aspirin causes myocardial infarction.", "Is it so?")


@pytest.fixture(scope="module")
def world(sample_home, tmp_path_factory):
    home = shutil.copytree(sample_home, tmp_path_factory.mktemp("timeline") / "home")
    settings = Settings(home=home)
    store = literature.connect(settings.literature_address, settings)
    with store.writing():
        store.put(Abstract(pmid, Text(text, "", year=year), None) for year, pmid, text in ARTICLES)
    store.close()
    with World(settings) as opened:
        yield opened


@pytest.mark.parametrize(
    ("years", "found"),
    [
        ({}, {}),
        ({1990: 5, 1991: 7}, {1990: 5, 1991: 7}),
        ({1990: 20, 1991: 7, 1992: 9, 1993: 8}, {1990: 7, 1991: 7, 1992: 8, 1993: 8}),
    ],
)
def test_cuts_never_fall_and_late_articles_do_not_raise_them(years, found):
    assert monotone(years) == found


def test_cuts_are_kept_for_the_state_of_the_literature(world, monkeypatch):
    found = year_cuts(world)
    assert found[2003] == 4000 and list(found) == sorted(found) and list(found.values()) == sorted(found.values())
    kept = world.settings.home / "cache" / "years.json"
    kept.write_text(kept.read_text("utf-8").replace("4000", "3999"), "utf-8")
    assert year_cuts(world) == found
    monkeypatch.setattr(type(world.literature_store), "pmid_by_year", None)
    assert year_cuts(world) == found
    kept.write_text(json.dumps(manifest.read(kept)), "utf-8")  # as earlier versions wrote it
    assert year_cuts(world) == found


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("options", [{}, {"k": 1}, {"k": 3, "exclude_retracted": True}])
@pytest.mark.parametrize("tokens", [None, 60])
def test_each_year_is_judged_as_ground_judges_it(world, text, options, tokens):
    settings = world.settings.model_copy(update={"evidence_tokens": tokens})
    with World(settings) as other:
        found = timeline(other, text, GroundOptions(**options))
        plain = {cut: other.ground(text, before=cut, **options) for cut in {*found.cuts.values()}}
        now = other.ground(text, **options)
    assert [(each.text, each.verdicts) for each in found.claims] == [(each.text, each.verdicts) for each in now.claims]
    for number, claim in enumerate(found.claims):
        shown = {each.year: each for each in claim.years}
        nothing = "failed" if claim.verdicts["both"] == "failed" else "not_enough"
        last = nothing
        for year, cut in found.cuts.items():
            verdict = plain[cut].claims[number].verdicts["both"]
            if year in shown:
                assert (shown[year].before, shown[year].verdict) == (cut, verdict), year
                assert shown[year].changed == (verdict != last)
            else:
                assert verdict == nothing and not any(other < year for other in shown)
            last = verdict
        assert claim.changed_since == (claim.verdicts["both"] != last)
        assert claim.changed_in == tuple(each.year for each in claim.years if each.changed)


def test_articles_count_in_their_year_of_publication(world):
    (claim,) = timeline(world, FOR, GroundOptions(k=100)).claims
    counts = {each.year: (each.supports, each.contradicts) for each in claim.years if each.supports or each.contradicts}
    assert counts == {2000: (1, 0), 2001: (0, 2), 2003: (1, 0), 2004: (1, 0), 2006: (12, 0)}
    verdicts = {each.year: each.verdict for each in claim.years}
    assert verdicts[2000] == "supported" and verdicts[2001] == "contradicted" and verdicts[2006] == "supported"
    assert claim.changed_in[:2] == (2000, 2001)


def test_without_years_of_articles_the_timeline_is_empty(tmp_path):
    settings = Settings(home=tmp_path)
    store = literature.connect(settings.literature_address, settings)
    with store.writing():
        store.put([Abstract(1000, Text(FOR, ""), None)])
    store.close()
    with World(settings) as opened, pytest.warns(NothingLoaded, match="no graph"):
        found = timeline(opened, FOR)
    (claim,) = found.claims
    assert claim.verdicts["both"] == "supported"
    assert (found.cuts, claim.years, claim.changed_in, claim.changed_since, claim.undated) == ({}, (), (), False, 1)


def test_searches_are_repeated_only_for_articles_beyond_a_cut(world, monkeypatch):
    calls, search = [], type(world.literature_store).search
    monkeypatch.setattr(
        type(world.literature_store),
        "search",
        lambda *args, **more: calls.append(more["before"]) or search(*args, **more),
    )
    found = timeline(world, "Simvastatin lowers cholesterol.", GroundOptions(k=1))
    assert 0 < len(calls) < len(set(found.cuts.values()))


def test_the_operation_names_its_release(world):
    answer = OPERATIONS["trace_evidence"].answered(world, TimelineRequest(text=FOR))
    assert answer["release"] and answer["claims"][0]["verdicts"]["both"] == "supported"
    assert list(answer["claims"][0]["years"][0]) == ["year", "before", "supports", "contradicts", "verdict", "changed"]
