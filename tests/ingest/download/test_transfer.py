"""One file over connections that break: the result is the server's bytes, or an error that says what was seen."""

import gzip
import hashlib
import json
import os
import random
from contextlib import nullcontext, suppress
from itertools import count
from os import getpid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from groundwork.errors import InputError, Refused, SourceUnreachable
from groundwork.ports import Silent
from groundwork.settings import Settings
from ingest.download.download import download_pubtator
from ingest.download.remote import Remote
from ingest.download.transfer import Transfer
from tests.ingest.download.source import Fault

NAME = "relation2pubtator3.gz"
CONTENT = gzip.compress(random.Random(1).randbytes(100_000))
OTHER = gzip.compress(random.Random(2).randbytes(100_000))
TIMES = {"download_wait": 0, "download_pause": 0, "download_timeout": 30}


@pytest.fixture
def source(server):
    server.clear()
    server.files[NAME] = CONTENT
    yield server
    server.faults.clear()


class Stopped(BaseException):
    """Stands for Ctrl-C or the end of the process."""


class Watch(Silent):
    """Progress that counts bytes, and stops the work at a given byte."""

    def __init__(self, stop=None):
        self.stages, self.done, self.stop = [], 0, stop

    def begin(self, stage, total, unit):
        self.stages.append((stage, total, unit))

    def advance(self, amount):
        self.done += amount
        if self.stop is not None and self.done >= self.stop:
            raise Stopped


def fetch(source, folder, *, checksum=None, progress=None, waits=None, name=NAME, **times):
    sleep = (lambda _: None) if waits is None else waits.append
    settings = Settings(home=folder, **(TIMES | times))
    with Remote(settings, sleep=sleep) as remote:
        return Transfer(remote, source.url + name, folder / name, checksum, progress or Silent()).run()


def leftovers(folder):
    return {path.name for path in folder.iterdir()} - {NAME, f"{NAME}.json"}


def test_a_file_is_fetched_and_the_servers_headers_are_recorded_beside_it(source, tmp_path):
    done = fetch(source, tmp_path)
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert (done.state, done.bytes, done.md5) == ("fetched", len(CONTENT), None)
    assert done.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert done.url == source.url + NAME
    record = json.loads((tmp_path / f"{NAME}.json").read_bytes())
    headers = source.headers_of(NAME)
    assert record["said"] == {
        "url": source.url + NAME,
        "etag": headers["ETag"],
        "last_modified": headers["Last-Modified"],
        "size": len(CONTENT),
    }
    assert record["sha256"] == done.sha256
    assert leftovers(tmp_path) == set()


def test_a_second_run_asks_whether_it_changed_and_fetches_nothing(source, tmp_path):
    fetch(source, tmp_path)
    before = (tmp_path / NAME).stat()
    progress = Watch()
    assert fetch(source, tmp_path, progress=progress).state == "unchanged"
    assert "if-none-match" in source.asked[-1][1]
    assert progress.stages == []
    assert (tmp_path / NAME).stat().st_ino == before.st_ino


def test_a_new_version_replaces_the_old_one_whole(source, tmp_path):
    fetch(source, tmp_path)
    source.files[NAME] = OTHER
    done = fetch(source, tmp_path)
    assert (done.state, (tmp_path / NAME).read_bytes()) == ("fetched", OTHER)


def test_the_old_version_stays_until_the_new_one_is_whole(source, tmp_path):
    fetch(source, tmp_path)
    source.files[NAME] = OTHER
    with pytest.raises(Stopped):
        fetch(source, tmp_path, progress=Watch(stop=50_000))
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert fetch(source, tmp_path).state == "resumed"
    assert (tmp_path / NAME).read_bytes() == OTHER


@pytest.mark.parametrize("etags", [True, False])
def test_a_broken_connection_continues_where_it_stopped(source, tmp_path, etags):
    source.etags = etags
    source.faults = [Fault(cut=60_000)]
    progress = Watch()
    done = fetch(source, tmp_path, progress=progress)
    assert (done.state, (tmp_path / NAME).read_bytes()) == ("resumed", CONTENT)
    asked = source.asked[1][1]
    assert asked["range"] == "bytes=60000-"
    assert asked["if-range"] == source.headers_of(NAME)["ETag" if etags else "Last-Modified"]
    assert progress.done == len(CONTENT)
    assert progress.stages == [(f"downloading {NAME}", len(CONTENT), "bytes")]


@pytest.fixture(scope="module")
def patient():
    """One connection to the server for many runs."""
    with Remote(Settings(download_tries=50, **TIMES), sleep=lambda _: None) as remote:
        yield remote


@examples(deadline=None, max_examples=60)
@given(
    cuts=st.lists(st.tuples(st.integers(0, 120_000), st.booleans(), st.booleans()), max_size=8),
    stops=st.lists(st.integers(1, 120_000), max_size=3),
)
def test_after_any_break_of_connection_or_process_the_bytes_are_those_of_the_server(
    server, patient, tmp_path_factory, cuts, stops
):
    folder = tmp_path_factory.mktemp("cut")
    server.clear()
    server.files[NAME] = CONTENT
    server.faults = [Fault(cut=cut, deaf=deaf, content=OTHER if change else None) for cut, deaf, change in cuts]
    for stop in [*stops, None]:
        with suppress(Stopped):
            Transfer(patient, server.url + NAME, folder / NAME, None, Watch(stop=stop)).run()
    assert (folder / NAME).read_bytes() in (CONTENT, OTHER)
    server.faults.clear()
    Transfer(patient, server.url + NAME, folder / NAME, None, Silent()).run()
    assert (folder / NAME).read_bytes() == server.files[NAME]
    assert leftovers(folder) == set()


class InterruptedChanges:
    """Stops the work before or after change number `left` of the folder."""

    def __init__(self, monkeypatch, left, after):
        self.left, self.after, self.dead = left, after, False
        for owner, name in ((Path, "replace"), (Path, "unlink"), (Path, "open"), (os, "fsync")):
            monkeypatch.setattr(owner, name, self.mortal(getattr(owner, name)))

    def mortal(self, change):
        def changed(*args, **options):
            self.left -= 1
            last = self.left == 0
            self.dead = self.dead or last
            if last and not self.after:
                raise Stopped
            try:
                return change(*args, **options)
            finally:
                if last:
                    raise Stopped

        return changed


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the stopped run leaves files open
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("replacing", [False, True])
def test_a_download_killed_between_any_two_steps_is_completed_by_the_next_run(
    source, patient, tmp_path, monkeypatch, replacing, after
):
    def run(folder):
        return Transfer(patient, source.url + NAME, folder / NAME, None, Silent()).run()

    died = 0
    for step in count(1):
        (folder := tmp_path / str(step)).mkdir()
        if replacing:
            source.files[NAME] = OTHER
            run(folder)
        source.files[NAME] = CONTENT
        source.faults = [Fault(cut=50_000)]
        with monkeypatch.context() as patched, suppress(Stopped):
            dying = InterruptedChanges(patched, step, after)
            run(folder)
        if (folder / NAME).exists():
            assert (folder / NAME).read_bytes() in (OTHER, CONTENT)
        source.faults.clear()
        run(folder)
        assert (folder / NAME).read_bytes() == CONTENT
        assert run(folder).state == "unchanged"
        assert leftovers(folder) <= {f"{NAME}.json.new"}
        if not dying.dead:
            break
        died += 1
    assert died > 10


def test_a_file_that_changes_between_two_tries_starts_again(source, tmp_path):
    source.faults = [Fault(cut=60_000), Fault(content=OTHER)]
    done = fetch(source, tmp_path)
    assert (done.state, (tmp_path / NAME).read_bytes()) == ("fetched", OTHER)


def test_a_server_that_ignores_if_range_and_sends_another_version_is_detected(source, tmp_path):
    source.faults = [Fault(cut=60_000), Fault(headers={"ETag": '"another"'})]
    assert fetch(source, tmp_path).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT


@pytest.mark.parametrize("ranged", ["bytes 5-9/10", "bytes 60000-60001/99999999", "nonsense", None])
def test_a_range_that_was_not_requested_is_not_appended(source, tmp_path, ranged):
    source.faults = [Fault(cut=60_000), Fault(headers={"Content-Range": ranged})]
    fetch(source, tmp_path)
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_download_without_ranges_starts_again_and_is_completed(source, tmp_path):
    source.faults = [Fault(cut=60_000), Fault(cut=80_000, deaf=True), Fault(deaf=True)]
    assert fetch(source, tmp_path).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_range_beyond_the_end_starts_again(source, tmp_path):
    source.faults = [Fault(cut=60_000), Fault(status=416)]
    assert fetch(source, tmp_path).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_complete_part_of_a_killed_download_needs_one_more_byte(source, tmp_path):
    with pytest.raises(Stopped):
        fetch(source, tmp_path, progress=Watch(stop=len(CONTENT)))
    assert not (tmp_path / NAME).exists()
    assert fetch(source, tmp_path).state == "resumed"
    assert source.asked[-1][1]["range"] == f"bytes={len(CONTENT) - 1}-"
    assert (tmp_path / NAME).read_bytes() == CONTENT


@pytest.mark.parametrize("promised", [len(CONTENT) + 5, 10 * len(CONTENT)])
def test_a_file_that_is_always_shorter_than_promised_is_an_error(source, tmp_path, promised):
    source.always = Fault(headers={"Content-Length": str(promised)}, cut=len(CONTENT), deaf=True)
    with pytest.raises(SourceUnreachable, match="8 attempts in a row"):
        fetch(source, tmp_path)
    assert not (tmp_path / NAME).exists()


def test_an_answer_without_any_length_is_refused(source, tmp_path):
    source.always = Fault(headers={"Content-Length": None})
    with pytest.raises(SourceUnreachable, match="without its length"):
        fetch(source, tmp_path)


def test_waits_double_and_start_again_after_progress(source, tmp_path):
    source.faults = [Fault(status=503), Fault(status=500), Fault(cut=10), Fault(status=502), Fault(cut=0)]
    waits = []
    fetch(source, tmp_path, waits=waits, download_wait=1)
    assert waits == [1, 2, 1, 2, 4]


def test_retry_after_is_honoured_but_one_that_is_too_long_is_an_error(source, tmp_path):
    source.faults = [Fault(status=429, headers={"Retry-After": "7"}), Fault(status=503, headers={"Retry-After": "x"})]
    waits = []
    fetch(source, tmp_path, waits=waits)
    assert waits == [7, 0]
    source.clear()
    source.always = Fault(status=503, headers={"Retry-After": "86400"})
    with pytest.raises(SourceUnreachable, match="503"):
        fetch(source, tmp_path / "fresh")


def test_a_download_from_a_silent_server_is_resumed_on_a_new_connection(source, tmp_path):
    source.faults = [Fault(cut=50_000, stall=True)]
    assert fetch(source, tmp_path, download_timeout=0.3).state == "resumed"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_failed_attempts_have_a_limit_that_is_reported(source, tmp_path):
    source.always = Fault(status=503)
    with pytest.raises(SourceUnreachable) as error:
        fetch(source, tmp_path, download_tries=3)
    assert "503 (3 attempts in a row)" in error.value.seen
    assert source.url + NAME in error.value.seen
    assert len(source.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204])
def test_a_refused_request_is_not_retried(source, tmp_path, status):
    source.always = Fault(status=status)
    with pytest.raises(SourceUnreachable, match=str(status)):
        fetch(source, tmp_path)
    assert len(source.asked) == 1


def test_a_file_that_changes_at_each_attempt_is_given_up(source, tmp_path):
    source.faults = [Fault(cut=1000, content=gzip.compress(bytes([n]) * 5000 + b"\0" * n)) for n in range(50)]
    source.faults = [Fault(cut=30, content=fault.content) for fault in source.faults]
    with pytest.raises(SourceUnreachable, match="attempts in a row"):
        fetch(source, tmp_path)


@pytest.mark.parametrize(
    "location",
    [
        "relation2pubtator3.gz",
        "/relation2pubtator3.gz",
        "//evil.invalid:x/",
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
        "",
    ],
)
def test_redirects_that_lead_nowhere_end(source, tmp_path, location):
    source.always = Fault(status=302, headers={"Location": location})
    with pytest.raises(SourceUnreachable):
        fetch(source, tmp_path)
    assert len(source.asked) < 10


def test_a_redirect_is_followed(source, tmp_path):
    source.files["mirror/file"] = CONTENT
    source.faults = [Fault(status=302, headers={"Location": "/mirror/file?token=hunter2"})]
    done = fetch(source, tmp_path)
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert "hunter2" not in str(done) + (tmp_path / f"{NAME}.json").read_text()


def test_a_log_in_page_in_place_of_the_file_is_reported(source, tmp_path):
    source.files[NAME] = b"<!DOCTYPE html><p>log in"
    with pytest.raises(SourceUnreachable, match="not a gzip file"):
        fetch(source, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_checksum_that_agrees_is_kept(source, tmp_path):
    wanted = hashlib.md5(CONTENT).hexdigest()
    assert fetch(source, tmp_path, checksum=lambda: wanted).md5 == wanted


def test_a_checksum_that_disagrees_keeps_nothing_and_says_both(source, tmp_path):
    (tmp_path / NAME).write_bytes(b"what was there")
    with pytest.raises(Refused) as error:
        fetch(source, tmp_path, checksum=lambda: "0" * 32)
    assert hashlib.md5(CONTENT).hexdigest() in error.value.seen
    assert "0" * 32 in error.value.wanted
    assert (tmp_path / NAME).read_bytes() == b"what was there"
    assert leftovers(tmp_path) == set()


def test_a_file_put_there_by_hand_is_taken_if_its_checksum_agrees(source, tmp_path):
    (tmp_path / NAME).write_bytes(CONTENT)
    wanted = hashlib.md5(CONTENT).hexdigest()
    for _ in range(2):
        assert fetch(source, tmp_path, checksum=lambda: wanted).state == "unchanged"
    assert source.asked == []
    (tmp_path / NAME).write_bytes(OTHER)
    assert fetch(source, tmp_path, checksum=lambda: wanted).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_file_that_was_altered_on_the_disk_is_fetched_again(source, tmp_path):
    fetch(source, tmp_path)
    (tmp_path / NAME).write_bytes(OTHER[: len(CONTENT)].ljust(len(CONTENT), b"\0"))
    assert fetch(source, tmp_path).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_file_with_only_a_new_time_is_unchanged(source, tmp_path):
    fetch(source, tmp_path)
    (tmp_path / NAME).touch()
    assert fetch(source, tmp_path).state == "unchanged"


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"url": 1}', b'{"version": 9, "etag": "x"}', b"\xff"])
def test_a_part_of_another_program_is_not_trusted(source, tmp_path, note):
    (tmp_path / f"{NAME}.part").write_bytes(b"\x1f\x8bsomething else")
    (tmp_path / f"{NAME}.part.json").write_bytes(note)
    (tmp_path / f"{NAME}.json").write_bytes(note)
    assert fetch(source, tmp_path).state == "fetched"
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert leftovers(tmp_path) == set()


def test_an_etag_that_cannot_be_sent_back_is_ignored(source, tmp_path):
    source.faults = [Fault(headers={"ETag": '"\u00e9"'}, cut=60_000)]
    assert fetch(source, tmp_path).state == "resumed"
    assert source.asked[-1][1]["if-range"] == source.headers_of(NAME)["Last-Modified"]
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_recorded_etag_with_a_header_injection_is_not_used(source, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(b"\x1f\x8bsomething else")
    said = {"url": source.url + NAME, "etag": '"a"\r\nX-Evil: yes', "last_modified": None, "size": 1000}
    (tmp_path / f"{NAME}.part.json").write_text(json.dumps(said))
    assert fetch(source, tmp_path).state == "fetched"
    assert not {"x-evil", "range"} & set(source.asked[0][1])


@pytest.mark.parametrize("end", [".part", ".part.json", ".json"])
def test_a_folder_where_our_own_files_belong_is_reported(source, tmp_path, end):
    (tmp_path / f"{NAME}{end}" / "x").mkdir(parents=True)
    settings = Settings(home=tmp_path, **TIMES)
    with pytest.raises(InputError, match="cannot be written"), Remote(settings) as remote:
        download_pubtator(["relation"], settings, remote, address=source.url, to=tmp_path)
    assert not (tmp_path / NAME).exists()


def test_links_are_not_written_through(source, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    folder = tmp_path / "to"
    folder.mkdir()
    for end in ("", ".part", ".part.json", f".part.json.{getpid()}.new", ".json", f".json.{getpid()}.new"):
        (folder / f"{NAME}{end}").symlink_to(victim)
    fetch(source, folder)
    assert victim.read_bytes() == b"mine"
    assert (folder / NAME).read_bytes() == CONTENT
    assert not (folder / NAME).is_symlink()


def test_a_folder_in_the_files_place_is_refused_before_anything_is_fetched(source, tmp_path):
    (tmp_path / NAME).mkdir()
    with pytest.raises(InputError, match="is a folder"):
        fetch(source, tmp_path)
    assert source.asked == []


def test_empty_files_and_files_of_one_byte_are_fetched(source, tmp_path):
    for content in (b"", b"x"):
        source.files["file"] = content
        with pytest.raises(Stopped) if content else nullcontext():
            fetch(source, tmp_path, name="file", progress=Watch(stop=1))
        fetch(source, tmp_path, name="file")
        assert (tmp_path / "file").read_bytes() == content


def test_a_chunked_answer_without_a_length_is_complete_at_its_last_chunk(source, tmp_path):
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(CONTENT), CONTENT)
    source.files["whole"] = body
    chunked = {"Content-Length": None, "Transfer-Encoding": "chunked"}
    source.faults = [Fault(headers=chunked, cut=5000), Fault(headers=chunked)]
    done = fetch(source, tmp_path, name="whole")
    assert (done.state, (tmp_path / "whole").read_bytes()) == ("fetched", CONTENT)


def test_the_client_says_who_it_is_and_wants_the_bytes_as_they_are(source, tmp_path):
    fetch(source, tmp_path)
    [(_, asked)] = source.asked
    assert asked["user-agent"].startswith("truthhypo/")
    assert asked["accept-encoding"] == "identity"


def test_the_proxy_of_the_environment_is_used_except_for_hosts_in_no_proxy(source, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", source.url.replace("http://", "http://ann:hunter2@"))
    settings = Settings(home=tmp_path, **TIMES)
    for host, proxied in (("data.invalid", True), ("127.0.0.1", False)):
        url = f"http://{host}/{NAME}" if proxied else source.url + NAME
        with Remote(settings) as remote:
            Transfer(remote, url, tmp_path / NAME, None, Silent()).run()
        assert ("proxy-authorization" in source.asked[-1][1]) is proxied
        assert (tmp_path / NAME).read_bytes() == CONTENT


def test_an_unusable_proxy_is_refused_without_showing_its_password(tmp_path, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "gopher://ann:hunter2@127.0.0.1:1")
    with pytest.raises(InputError) as error:
        Remote(Settings(home=tmp_path))
    assert "hunter2" not in str(error.value)


def test_a_server_that_is_not_there_is_asked_three_times(tmp_path):
    waits = []
    with (
        pytest.raises(SourceUnreachable, match=r"127.0.0.1:9/.*3 attempts"),
        Remote(Settings(home=tmp_path), sleep=waits.append) as remote,
    ):
        Transfer(remote, "http://127.0.0.1:9/x", tmp_path / "x", None, Silent()).run()
    assert waits == [1, 2]
