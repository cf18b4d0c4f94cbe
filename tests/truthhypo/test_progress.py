"""Progress on a terminal: amounts that people read, and no more bars than a screen has lines."""

from io import StringIO

from rich.console import Console

from truthhypo.faces.progress import SHOWN, Bar


def test_a_thousand_stages_leave_a_few_bars_with_readable_amounts(monkeypatch):
    written = StringIO()
    monkeypatch.setattr(
        "truthhypo.faces.progress.Console", lambda **_: Console(file=written, force_terminal=True, width=120)
    )
    with Bar() as bar:
        for number in range(1000):
            bar.begin(f"fetching file {number}", 3_000_000, "bytes")
            bar.advance(1_500_000)
        bar.begin("reading", None, "rows")
        bar.advance(12_345)
        bar._bars.refresh()
        shown = [task.description for task in bar._bars.tasks]
    assert shown == [f"fetching file {number}" for number in range(1001 - SHOWN, 1000)] + ["reading"]
    assert "1.5 MB of 3.0 MB" in written.getvalue()
    assert "12,345 rows" in written.getvalue()
