"""Reading WordNet's files. The small ones here are written by hand, in the format of wndb(5WN)."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from fuzzygraph.words import WordNet, installed_wordnet, overlap, wordnet_in

#: Synsets by part of speech: words, and antonyms as (number of the own word, part, synset, number of the other word).
SYNSETS = {
    "noun": [(["fever", "pyrexia"], []), (["rise", "increase"], [(1, "n", 2, 1)]), (["fall"], [(1, "n", 1, 1)])],
    "verb": [(["reduce", "bring_down"], [(1, "v", 1, 1)]), (["increase"], [(1, "v", 0, 1)])],
    "adj": [(["acute"], [(1, "a", 1, 1)]), (["chronic(p)"], [(1, "a", 0, 1)]), (["keen", "acute"], [])],
    "adv": [(["swiftly", "fast"], [])],
}
LICENCE = "  1 This line is a licence.  \n"


def written(places: dict[tuple[str, int], int]) -> dict[str, str]:
    """Return the texts of index.* and data.* for the synsets at these offsets."""
    letters = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
    parts = {letter: part for part, letter in letters.items()}
    files = {}
    for part, synsets in SYNSETS.items():
        data, words = LICENCE, {}
        for number, (names, antonyms) in enumerate(synsets):
            listed = " ".join(f"{name} 0" for name in names)
            opposed = [f"! {places.get((parts[p], n), 0):08d} {p} {a:02x}{b:02x}" for a, p, n, b in antonyms]
            pointers = " ".join([f"{len(opposed) + 1:03d}", "@ 00000000 n 0000", *opposed])
            data += (
                f"{places.get((part, number), 0):08d} 03 {letters[part]} {len(names):02x} {listed} {pointers} | gloss\n"
            )
            for name in names:
                words.setdefault(name.partition("(")[0], []).append(places.get((part, number), 0))
        lines = [
            f"{word} {letters[part]} {len(at)} 1 @ {len(at)} 0 {' '.join(f'{o:08d}' for o in at)}  \n"
            for word, at in sorted(words.items())
        ]
        files |= {f"data.{part}": data, f"index.{part}": LICENCE + "".join(lines)}
    return files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    blank = written({})
    starts: dict[tuple[str, int], int] = {}
    for part in SYNSETS:
        at = 0
        for number, line in enumerate(blank[f"data.{part}"].splitlines(keepends=True), -1):
            starts[part, number] = at
            at += len(line)
    place = tmp_path / "corpora" / "wordnet"
    place.mkdir(parents=True)
    for name, content in written(starts).items():
        (place / name).write_text(content, "utf-8")
    return place


@pytest.fixture
def wordnet(folder: Path) -> WordNet:
    found = wordnet_in(folder)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("word", "synonyms", "antonyms"),
    [
        ("fever", {"fever", "pyrexia"}, set()),
        ("fevers", {"fever", "pyrexia"}, set()),
        ("rise", {"rise", "increase"}, {"fall"}),
        ("increase", {"rise", "increase"}, {"reduce"}),
        ("increases", {"rise", "increase"}, {"reduce"}),
        ("reduced", {"reduce", "bring down"}, {"increase"}),
        ("bring down", {"reduce", "bring down"}, set()),
        ("reducing", {"reduce", "bring down"}, {"increase"}),
        ("acute", {"acute", "keen"}, {"chronic"}),
        ("chronic", {"chronic"}, {"acute"}),
        ("fast", {"fast", "swiftly"}, set()),
        ("aaa", set(), set()),
        ("zzz", set(), set()),
        ("fev", set(), set()),
        ("", set(), set()),
    ],
)
def test_words_are_looked_up_with_their_forms(wordnet, word, synonyms, antonyms):
    assert (wordnet.synonyms(word), wordnet.antonyms(word)) == (synonyms, antonyms)


def test_every_word_is_found_wherever_it_stands(wordnet):
    for synsets in SYNSETS.values():
        for names, _ in synsets:
            for name in names:
                assert wordnet.synonyms(name.partition("(")[0].replace("_", " "))


def test_jaccard_with_wordnet_worked_by_hand(wordnet):
    """{aspirin, reduces, fever} and {aspirin, pyrexia, falls} share 1 of 5 words. With the synonyms reduce, bring down,
    fever, pyrexia and fall they share 3 of 8."""
    found = overlap("Aspirin reduces fever", "Aspirin: pyrexia falls", wordnet=wordnet)
    assert found.raw == pytest.approx(1 / 5)
    assert found.expanded == pytest.approx(3 / 8)
    assert overlap("a rise", "a fall", wordnet=wordnet).opposites == (("rise", "fall"),)


def test_nltks_archive_is_read_as_its_folder_would_be(folder, tmp_path, wordnet):
    place = tmp_path / "nltk" / "corpora"
    place.mkdir(parents=True)
    with ZipFile(place / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    packed = wordnet_in(place / "wordnet")
    assert packed is not None
    assert packed.synonyms("fever") == wordnet.synonyms("fever")


@pytest.mark.parametrize("spoil", ["missing", "no archive", "nothing"])
def test_an_incomplete_wordnet_counts_as_absent(folder, spoil):
    if spoil == "missing":
        (folder / "data.adv").unlink()
    elif spoil == "no archive":
        (folder / "data.adv").unlink()
        folder.with_suffix(".zip").write_bytes(b"no archive")
    else:
        folder = folder / "nowhere"
    assert wordnet_in(folder) is None


def test_wordnet_is_found_where_the_environment_says(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in (("WNSEARCHDIR", folder), ("NLTK_DATA", folder.parents[1])):
        installed_wordnet.cache_clear()
        monkeypatch.setenv(name, str(value))
        found = installed_wordnet()
        assert found is not None
        assert found.antonyms("acute") == {"chronic"}
        monkeypatch.delenv(name)
    installed_wordnet.cache_clear()
