"""Many texts: which files are read, and a killed run continues where it stopped."""

import json
import re
from dataclasses import replace

import pytest

from groundwork.errors import InputError, ModelFaltered, StoreBusy
from groundwork.ports import Silent
from truthhypo.faces.cli.entry import run
from truthhypo.faces.many.batch import Batch
from truthhypo.faces.many.sources import Said, read_texts

TEXTS = [Said(1, "one"), Said(2, "two"), Said(4, "four")]


def echo(text: str) -> dict[str, object]:
    return {"text": text, "length": len(text)}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "one\ntwo\n\nfour\n"),
        ("a.csv", "id,text\na,one\nb,two\nc,\nd,four\n"),
        ("a.jsonl", '{"text": "one"}\n{"claim": "two"}\n\n{"text": "four"}\n'),
    ],
)
def test_three_formats_give_the_same_texts(tmp_path, name, content):
    path = tmp_path / name
    path.write_text("\ufeff" + content if name != "a.jsonl" else content, "utf-8")
    assert [(said.number, said.text) for said in read_texts(path)] == [(said.number, said.text) for said in TEXTS]


@pytest.mark.parametrize(
    ("name", "content", "seen", "remedy"),
    [
        ("a.tsv", b"x", "ends in '.tsv'", "convert"),
        ("a.csv", b"id,words\n1,x\n", "has the columns id, words", "rename the column"),
        ("a.jsonl", b'{"text": "x"}\n{broken\n', "line 2 is not JSON", 'write line 2 as {"text": "..."}'),
        ("a.jsonl", b'{"pmid": 1}\n', "line 1 has no text; it has pmid", "rename the field"),
        ("a.jsonl", b"[1]\n", "line 1 has [1] where a text should be", "remove the line"),
        ("a.jsonl", b'{"text": "x"}\n{"text": 5}\n', "line 2 has 5 where a text should be", "remove the line"),
        ("a.jsonl", b'{"text": "x", "id": [2]}\n', "whole number: [2]", "put the id in quotes"),
        ("a.txt", b"\n\n", "contains no text", "check the file"),
        ("a.txt", b"\xff\xfe", "is not UTF-8", "save the file as UTF-8"),
        ("a.csv", b"text\n" + b"x" * 200_000, "is not CSV", "split long texts"),
        (
            "a.csv",
            b'id,text\n1,one\n2,"two\n3,three\n',
            "line 3: the quote that opens here",
            "close the quote in line 3",
        ),
        ("a.csv", b"id,text\n1,One, too.\n", "line 2: 3 columns, but the header has 2", "in quotes"),
        ("a.csv", b"text,text\nOne.,Two.\n", "several columns named text", "rename or remove the others"),
        ("a.jsonl", b"[" * 100_000, "line 1 is not JSON", "give the texts as .txt"),
    ],
)
def test_a_bad_file_is_reported_with_what_to_do(tmp_path, name, content, seen, remedy):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(seen)) as told:
        read_texts(path)
    assert remedy in told.value.remedy


@pytest.mark.parametrize("name", ["folder", "folder.txt"])
def test_a_directory_is_reported_as_a_directory(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=f"{name} is a directory") as told:
        read_texts(tmp_path / name)
    assert (told.value.wanted, told.value.remedy) == (
        "a .txt, .csv, .jsonl or .parquet file",
        "name a file in the directory",
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,text\na,one\nb,\n7,two\n,four\n"),
        ("a.jsonl", '{"id": "a", "text": "one"}\n{"pmid": 1}\n\n{"id": "7", "text": "two"}\n{"text": "four"}\n'),
    ],
)
def test_a_row_keeps_its_id_and_one_without_text_is_counted(tmp_path, name, content):
    path, out = tmp_path / name, tmp_path / "out.jsonl"
    path.write_text(content, "utf-8")
    found = read_texts(path)
    assert ([(said.text, said.id) for said in found], found.empty) == (
        [("one", "a"), ("two", "7"), ("four", None)],
        1,
    )
    assert Batch(out, {}).run(found, echo).items() >= {"texts": 3, "empty": 1, "written": 3}.items()
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record.get("id") for record in records] == ["a", "7", None]
    assert "id" not in records[2]
    assert Batch(out, {}).run(found, echo)["kept"] == 3
    with pytest.raises(InputError, match="other texts"):
        Batch(out, {}).run([replace(found[0], id="b")], echo)


@pytest.mark.parametrize("command", ["ground", "risk"])
def test_a_text_that_cannot_be_judged_is_a_record_with_its_error_and_the_others_are_judged(tmp_path, command):
    texts, out = tmp_path / "texts.jsonl", tmp_path / "out.csv"
    lines = ['"Aspirin reduces fever."', '"a\\u0000b"', '"\\ud800 reduces fever."', "null", '"Aspirin causes rash."']
    texts.write_text("".join(f'{{"text": {line}}}\n' for line in lines))
    argv = ["--home", str(tmp_path / "home"), command, "--file", str(texts), "--out", str(out)]
    assert run(argv) == run(argv) == 1  # the second run judges the faulty texts again
    records = [json.loads(line) for line in (tmp_path / "out.csv.jsonl").read_text().splitlines()]
    assert [record["number"] for record in records] == [1, 2, 3, 5]
    told = [record.get("error", {}).get("seen", "") for record in records]
    assert [bool(seen) for seen in told] == [False, True, True, False]
    assert "NUL" in told[1] and "surrogate" in told[2]
    assert "NUL" in out.read_text("utf-8")


def test_a_number_may_be_an_id_and_a_list_may_not(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 5, "text": "one"}\n')
    assert read_texts(path)[0].id == 5
    path.write_text('{"id": [5], "text": "one"}\n')
    with pytest.raises(InputError, match="line 1 has an id"):
        read_texts(path)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_texts(tmp_path / "none.txt")


def test_killed_at_any_byte_the_second_run_ends_in_the_same_file(tmp_path):
    whole = tmp_path / "whole.jsonl"
    assert Batch(whole, {"k": 8}).run(TEXTS, echo)["written"] == 3
    content = whole.read_bytes()
    for cut in range(len(content) + 1):
        out = tmp_path / "cut.jsonl"
        out.write_bytes(content[:cut])
        summary = Batch(out, {"k": 8}).run(TEXTS, echo)
        assert summary["written"] + summary["kept"] == 3
        assert out.read_bytes() == content


def test_a_text_with_a_record_is_not_judged_again(tmp_path):
    out = tmp_path / "out.jsonl"
    Batch(out, {}).run(TEXTS[:2], echo)
    judged = []
    Batch(out, {}).run(TEXTS, lambda text: judged.append(text) or echo(text))
    assert judged == ["four"]


def test_other_options_or_other_texts_are_refused(tmp_path):
    out = tmp_path / "out.jsonl"
    Batch(out, {"k": 8}).run(TEXTS, echo)
    with pytest.raises(InputError, match="other options"):
        Batch(out, {"k": 9}).run(TEXTS, echo)
    with pytest.raises(InputError, match="other texts"):
        Batch(out, {"k": 8}).run([Said(1, "changed")], echo)
    (tmp_path / "strange.jsonl").write_text("hello\n")
    with pytest.raises(InputError, match="not the output of an earlier run"):
        Batch(tmp_path / "strange.jsonl", {}).run(TEXTS, echo)


def test_records_are_json_lines_in_input_order(tmp_path):
    out = tmp_path / "out.jsonl"
    Batch(out, {}).run(TEXTS, echo)
    assert [json.loads(line)["number"] for line in out.read_text().splitlines()] == [1, 2, 4]


@pytest.mark.parametrize("name", ["a.jsonl", "a.TXT"])
def test_unicode_separators_do_not_end_a_text(tmp_path, name):
    text = "Sep\u2028 aspirin\x0c treats\x85 thrombosis."
    path = tmp_path / name
    path.write_text(
        json.dumps({"text": text}, ensure_ascii=False) + "\r\n" if name == "a.jsonl" else text + "\r\n", "utf-8"
    )
    assert read_texts(path) == [Said(1, text)]


def test_two_runs_cannot_write_the_same_file_at_once(tmp_path):
    out = tmp_path / "out.jsonl"

    def meanwhile(text: str) -> dict[str, object]:
        with pytest.raises(StoreBusy, match="another run"):
            Batch(out, {}).run(TEXTS, echo)
        return echo(text)

    Batch(out, {}).run(TEXTS[:1], meanwhile)
    assert len(out.read_text().splitlines()) == 1


def faltering(bad):
    def check(text: str) -> dict[str, object]:
        if text in bad:
            raise ModelFaltered("the model stumbled", again=True)
        return echo(text) | {"usage": {"calls": 1, "unasked": 0, "tokens_per_claim": 2.5}}

    return check


def test_a_text_the_model_fails_on_is_judged_again_and_its_record_keeps_its_place(tmp_path):
    out = tmp_path / "out.jsonl"
    summary = Batch(out, {}).run(TEXTS, faltering({"one", "four"}))
    assert (
        summary.items()
        >= {"written": 1, "kept": 0, "failed": 2, "left": 0, "usage": {"calls": 1, "unasked": 0}}.items()
    )
    assert [json.loads(line).get("error", {}).get("seen") for line in out.read_text().splitlines()] == [
        "the model stumbled",
        None,
        "the model stumbled",
    ]
    assert [said.number for said in Batch(out, {}).pending(TEXTS)] == [1, 4]
    whole = tmp_path / "whole.jsonl"
    Batch(whole, {}).run(TEXTS, faltering(set()))
    assert Batch(out, {}).run(TEXTS, faltering(set())).items() >= {"written": 2, "kept": 1, "failed": 0}.items()
    assert out.read_bytes() == whole.read_bytes()


def test_killed_while_judging_again_the_third_run_ends_in_the_same_file(tmp_path):
    begun, whole = tmp_path / "begun.jsonl", tmp_path / "whole.jsonl"
    Batch(whole, {}).run(TEXTS, faltering(set()))
    Batch(begun, {}).run(TEXTS, faltering({"one"}))
    errors, last = begun.read_bytes(), whole.read_bytes().splitlines(keepends=True)[0]
    for cut in range(len(last) + 1):
        out = tmp_path / "cut.jsonl"
        out.write_bytes(errors + last[:cut])
        Batch(out, {}).run(TEXTS, faltering(set()))
        assert out.read_bytes() == whole.read_bytes()


def test_a_model_that_fails_on_several_texts_in_a_row_ends_the_run(tmp_path):
    out = tmp_path / "out.jsonl"
    with pytest.raises(ModelFaltered):
        Batch(out, {}).run(TEXTS, faltering({"one", "two", "four"}))
    assert len(out.read_text().splitlines()) == 2


def test_a_text_counts_as_done_when_its_record_stands_in_the_file(tmp_path):
    out, done = tmp_path / "out.jsonl", []

    class Counting(Silent):
        def advance(self, amount: int) -> None:
            done.append((amount, out.read_bytes().count(b"\n")))

    Batch(out, {}).run(TEXTS, faltering({"two"}), progress=Counting())
    assert done == [(1, 1), (1, 2), (1, 3)]


def test_a_text_beyond_the_budget_has_no_record(tmp_path):
    out, asked = tmp_path / "out.jsonl", []

    def check(text: str) -> dict[str, object]:
        asked.append(text)
        return echo(text) | {"usage": {"unasked": int(text == "two")}}

    summary = Batch(out, {}).run(TEXTS, check)
    assert summary.items() >= {"written": 1, "left": 2, "usage": {"unasked": 1}}.items()
    assert asked == ["one", "two"]
    assert len(out.read_text().splitlines()) == 1


MADE = {"program": "0.1.0+aa", "model": "rules", "prompts": {"judge": 1}, "graph": ["one"], "literature": None}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"program": "0.2.0+bb"}, "with other program (0.1.0+aa, now 0.2.0+bb)"),
        ({"model": "openai:m"}, "with other model (rules, now openai:m)"),
        ({"prompts": {"judge": 2}}, "with other prompts"),
        ({"graph": ["two"], "literature": {"documents": 1}}, "with other graph, literature"),
    ],
)
def test_records_of_another_program_model_or_graph_are_refused_and_the_difference_is_named(tmp_path, changed, told):
    out = tmp_path / "out.jsonl"
    Batch(out, {"k": 8}, **MADE).run(TEXTS[:1], echo)
    begun = out.read_bytes()
    assert json.loads(begun)["run"].items() >= {"program": "0.1.0+aa", "model": "rules"}.items()
    for ask in (Batch.pending, lambda batch, texts: batch.run(texts, echo)):
        with pytest.raises(InputError) as refused:
            ask(Batch(out, {"k": 8}, **{**MADE, **changed}), TEXTS)
        assert refused.value.seen == f"{out} was written {told}"
        assert "undo the change" in refused.value.remedy
    assert out.read_bytes() == begun
    assert Batch(out, {"k": 8}, **MADE).run(TEXTS, echo).items() >= {"kept": 1, "written": 2}.items()


def test_a_file_whose_records_lack_model_and_graph_is_refused_as_one_of_an_earlier_version(tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text('{"number": 1, "run": "0123456789ab", "text": "one", "length": 3}\n')
    with pytest.raises(InputError, match="written by an earlier version of this program"):
        Batch(out, {"k": 8}, **MADE).run(TEXTS, echo)


def test_the_next_run_judges_the_remaining_texts_before_the_failed_ones(tmp_path):
    out, texts = tmp_path / "out.jsonl", [Said(n, f"text {n}") for n in range(1, 9)]
    bad = faltering({"text 1", "text 3", "text 5"})  # fails at every attempt
    judged = []

    def until_six(text: str) -> dict[str, object]:
        if text == "text 6":
            raise KeyboardInterrupt
        return bad(text)

    with pytest.raises(KeyboardInterrupt):
        Batch(out, {}).run(texts, until_six)
    with pytest.raises(ModelFaltered):
        Batch(out, {}).run(texts, lambda text: judged.append(text) or bad(text))
    assert judged == ["text 6", "text 7", "text 8", "text 1", "text 3", "text 5"]
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(record["number"], "error" in record) for record in told] == [(n, n in (1, 3, 5)) for n in range(1, 9)]
