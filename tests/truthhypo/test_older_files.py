"""A PubMed file that is older than one loaded before is loaded, and the user gets a warning."""

from tests.ingest.test_pubmed_load import file


def test_an_older_file_is_reported_on_stderr_and_in_the_receipt(command, tmp_path):
    older, newer = (file(tmp_path / "files", number, [(1, f"as of {number}")]) for number in (1, 2))
    home = ("--home", tmp_path / "home")
    first = command("ingest", "pubmed", newer, *home)
    second = command("ingest", "pubmed", older, *home)
    assert (first.code, second.code) == (0, 0)
    assert "older" not in first.json
    assert "warning" not in first.err
    assert second.json["older"] == {"file": older.name, "newer": 1, "first": newer.name, "last": newer.name}
    assert f"warning: {older.name} is older than {newer.name} loaded before" in second.err
    assert second.json["documents"]["changed"] == 1
