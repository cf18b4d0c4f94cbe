"""Download folders of files. PubTator's files have known names, and PubMed's are taken from a listing. Files arrive in
order, and each is compared with its checksum."""

import errno
import gzip
import hashlib
import os
import re
import shutil
from html import escape
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError, Refused, SourceUnreachable, StoreBusy
from groundwork.settings import Settings
from ingest.download.download import PUBTATOR, download_pubmed, download_pubtator, md5, names
from ingest.download.remote import Remote, folder, shown
from tests.ingest.download.source import Fault

PLACES = {
    "baseline": ["pubmed26n0001", "pubmed26n0002", "pubmed26n0010"],
    "updatefiles": ["pubmed26n0011", "pubmed26n0012"],
}
ALL = [name for place in PLACES.values() for name in place]
PATTERN = re.compile(r"pubmed(\d\d)n(\d{4})\.xml\.gz", re.ASCII)


@pytest.fixture
def source(server):
    """A server with the folders of PubMed, laid out as at NLM, and with the relations of PubTator."""
    server.clear()
    for place, files in PLACES.items():
        for name in files:
            content = gzip.compress(name.encode())
            server.files[f"pubmed/{place}/{name}.xml.gz"] = content
            server.files[f"pubmed/{place}/{name}.xml.gz.md5"] = (
                f"MD5({name}.xml.gz)= {hashlib.md5(content).hexdigest()}\n".encode()
            )
        links = ["/pubmed/", "README.txt", *(f"{name}.xml.gz{end}" for name in reversed(files) for end in (".md5", ""))]
        server.files[f"pubmed/{place}/"] = page(links)
    server.files["PubTator3/relation2pubtator3.gz"] = gzip.compress(b"relations")
    server.files["PubTator3/gene2pubtator3.gz"] = gzip.compress(b"genes")
    return server


def page(links):
    rows = [f'<a href="{escape(link)}">{escape(link[:20])}</a>   2026-01-29 14:48   19M' for link in links]
    return ("<html><body><h1>Index of /pubmed</h1><pre>" + "\n".join(rows) + "\n</pre></body></html>").encode()


@pytest.fixture
def remote(settings):
    with Remote(settings.model_copy(update={"download_wait": 0.0}), sleep=lambda _: None) as remote:
        yield remote


def pubmed(source, settings, remote, **options):
    return download_pubmed(settings, remote, address=source.url + "pubmed", **options)


def fetched(done):
    return [Path(file.path).name.removesuffix(".xml.gz") for file in done.files]


def data(source):
    """Names of the data files that were asked for, in order."""
    return [Path(name).name for name, _ in source.asked if name.endswith(".xml.gz")]


def test_pubmed_comes_in_the_order_of_its_numbers_into_home(source, settings, remote):
    done = pubmed(source, settings, remote)
    assert fetched(done) == ALL
    assert data(source) == [f"{name}.xml.gz" for name in ALL]
    for file, name in zip(done.files, ALL, strict=True):
        content = (settings.home / "downloads" / "pubmed" / f"{name}.xml.gz").read_bytes()
        assert gzip.decompress(content) == name.encode()
        assert file.md5 == hashlib.md5(content).hexdigest()
    assert {file.state for file in pubmed(source, settings, remote).files} == {"unchanged"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"updates": False}, PLACES["baseline"]),
        ({"baseline": False}, PLACES["updatefiles"]),
        ({"since": "pubmed26n0010.xml.gz"}, ALL[2:]),
        ({"since": "/some/where/pubmed26n0011.xml.gz.md5"}, ALL[3:]),
        ({"since": "10"}, ALL[2:]),
        ({"since": "pubmed25n1300.xml.gz"}, ALL),
        ({"since": "13"}, []),
    ],
)
def test_options_select_the_files_of_pubmed(source, settings, remote, options, wanted):
    assert fetched(pubmed(source, settings, remote, **options)) == wanted


@pytest.mark.parametrize("since", ["yesterday", "", "-1", "pubmed26n1.xml.gz", "٣", "9" * 5000])
def test_since_other_than_a_name_or_a_number_is_refused(source, settings, remote, since):
    with pytest.raises(InputError, match="not a PubMed file"):
        pubmed(source, settings, remote, since=since)
    assert source.asked == []


def test_years_come_before_numbers(source, settings, remote):
    source.files["pubmed/updatefiles/pubmed25n1300.xml.gz"] = gzip.compress(b"old")
    source.files["pubmed/updatefiles/"] = page(["pubmed26n0011.xml.gz", "pubmed25n1300.xml.gz"])
    assert fetched(pubmed(source, settings, remote, baseline=False)) == ["pubmed25n1300", "pubmed26n0011"]
    assert {file.md5 for file in pubmed(source, settings, remote, baseline=False).files} == {None}


def test_a_wrong_checksum_stops_the_download_and_the_next_run_continues(source, settings, remote):
    name = "pubmed/baseline/pubmed26n0002.xml.gz.md5"
    right, source.files[name] = source.files[name], b"MD5(pubmed26n0002.xml.gz)= " + b"0" * 32
    with pytest.raises(Refused, match="pubmed26n0002"):
        pubmed(source, settings, remote)
    assert data(source) == ["pubmed26n0001.xml.gz", "pubmed26n0002.xml.gz"]
    source.files[name] = right
    states = [file.state for file in pubmed(source, settings, remote).files]
    assert states == ["unchanged"] + 4 * ["fetched"]


def test_a_listing_without_files_is_an_error_and_not_an_empty_success(source, settings, remote):
    source.files["pubmed/baseline/"] = page(["README.txt", "pubmed26n0001.xml.gz.md5"])
    with pytest.raises(SourceUnreachable, match="lists no PubMed file in baseline/"):
        pubmed(source, settings, remote, updates=False)
    assert fetched(pubmed(source, settings, remote)) == PLACES["updatefiles"]


def test_a_listing_is_read_over_broken_connections(source, settings, remote):
    source.faults = [Fault(cut=100), Fault(status=503), Fault(status=429, headers={"Retry-After": "1"})]
    assert fetched(pubmed(source, settings, remote, updates=False)) == PLACES["baseline"]


HOSTILE = [
    "../pubmed26n0001.xml.gz",
    "/etc/pubmed26n0001.xml.gz",
    "sub/pubmed26n0001.xml.gz",
    "..%2Fpubmed26n0001.xml.gz",
    "%2e%2e/pubmed26n0001.xml.gz",
    "http://elsewhere.invalid/pubmed/baseline/pubmed26n0001.xml.gz",
    "//elsewhere.invalid/pubmed/baseline/pubmed26n0001.xml.gz",
    "pubmed26n0001.xml.gz?x=../..",
    "pubmed26n0001.xml.gz/../../evil",
    "pubmed26n0001.xml.gz%00.sh",
    "pubmed26n0001.xml.gz\n",
    "PUBMED26N0001.XML.GZ.exe",
    "pubmed٢٦n0001.xml.gz",
    "file:///pubmed/baseline/pubmed26n0001.xml.gz",
    "javascript:alert(1)",
    "http://[",
    "http://a:b@127.0.0.1/pubmed/baseline/pubmed26n0001.xml.gz",
    "",
]


def test_links_that_lead_out_of_the_folder_are_passed_over(source, remote):
    source.files["pubmed/baseline/"] = page([link for link in HOSTILE if not link.endswith("\n")])
    assert names(remote, source.url + "pubmed/baseline/", PATTERN) == {}


@pytest.mark.parametrize(
    "link",
    [
        "pubmed26n0001.xml.gz",
        "./pubmed26n0001.xml.gz",
        "/pubmed/baseline/pubmed26n0001.xml.gz",
        "HERE/pubmed/baseline/pubmed26n0001.xml.gz",
        "pubmed26n0001%2Exml.gz",
        " pubmed26n0001.xml.gz ",
        "pubmed26n0001.xml.gz#top",
    ],
)
def test_links_are_read_in_every_notation(source, remote, link):
    source.files["pubmed/baseline/"] = page([link.replace("HERE", source.url.rstrip("/"))])
    wanted = {"pubmed26n0001.xml.gz": source.url + "pubmed/baseline/pubmed26n0001.xml.gz"}
    assert names(remote, source.url + "pubmed/baseline/", PATTERN) == wanted


def test_escapes_and_broken_html_are_read(source, remote):
    source.files["x/"] = (
        b'<A HREF=pubmed26n0001.xml.gz><a href="&#112;ubmed26n0002&period;xml.gz"><a name=y><a href><b href="pubmed26n0003.xml.gz"'
    )
    assert list(names(remote, source.url + "x/", PATTERN)) == ["pubmed26n0001.xml.gz", "pubmed26n0002.xml.gz"]


@pytest.fixture(scope="module")
def one_remote():
    with Remote(Settings(download_wait=0)) as remote:
        yield remote


@given(st.binary(max_size=300))
def test_any_bytes_are_a_listing_without_files(server, one_remote, content):
    server.clear()
    server.files["x/"] = content
    assert names(one_remote, server.url + "x/", PATTERN) == {}


def test_links_of_a_redirected_listing_are_relative_to_its_new_address(source, remote):
    source.files["mirror/"] = page(["pubmed26n0001.xml.gz", "/pubmed/baseline/pubmed26n0002.xml.gz"])
    source.faults = [Fault(status=301, headers={"Location": "/mirror/"})]
    found = names(remote, source.url + "pubmed/baseline/", PATTERN)
    assert found == {"pubmed26n0001.xml.gz": source.url + "mirror/pubmed26n0001.xml.gz"}


def test_an_endless_listing_is_cut_off(source, remote):
    source.files["pubmed/baseline/"] = b"x" * ((1 << 24) + 1)
    with pytest.raises(SourceUnreachable, match="larger than"):
        names(remote, source.url + "pubmed/baseline/", PATTERN)


@pytest.mark.parametrize(
    "form", ["MD5({name})= {hash}\n", "{hash}  {name}\n", "{hash} *{name}", "{HASH}", "MD5 ({name}) = {hash}"]
)
def test_checksum_files_are_read_in_every_format(source, remote, form):
    digest = hashlib.md5(b"x").hexdigest()
    source.files["f.md5"] = form.format(name="f", hash=digest, HASH=digest.upper()).encode()
    assert md5(remote, source.url + "f.md5", "f") == digest


@pytest.mark.parametrize("said", [b"", b"MD5(other)= " + b"0" * 32, b"<html>", b"0" * 31, b"0" * 33, b"\xff" * 40])
def test_a_checksum_file_that_says_nothing_of_the_file_is_an_error(source, remote, said):
    source.files["f.md5"] = said
    with pytest.raises(SourceUnreachable, match="no MD5 of f"):
        md5(remote, source.url + "f.md5", "f")


def test_pubtator_files_are_downloaded_by_name_into_home(source, settings, remote):
    done = download_pubtator(["relation", "gene", "gene"], settings, remote, address=source.url + "PubTator3")
    home = settings.home / "downloads" / "pubtator3"
    assert [file.path for file in done.files] == [str(home / f"{name}2pubtator3.gz") for name in ("relation", "gene")]
    assert gzip.decompress((home / "gene2pubtator3.gz").read_bytes()) == b"genes"


def test_an_unknown_name_is_refused_with_the_known_names_before_any_request(source, settings, remote):
    with pytest.raises(InputError) as error:
        download_pubtator(["relation", "genes"], settings, remote, address=source.url)
    assert "'genes'" in error.value.seen
    assert all(name in error.value.wanted for name in PUBTATOR)
    assert source.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "ftp://ftp.ncbi.nlm.nih.gov/pubmed/",
        "http://",
        "pubmed",
        "",
        "http://x/?a=b",
        "http://x/#a",
        "http://[",
        "file:///x",
        "http://x:y/",
    ],
)
def test_an_invalid_address_is_refused(address):
    with pytest.raises(InputError):
        folder(address)


def test_an_address_with_a_password_is_refused_and_no_password_is_shown():
    with pytest.raises(InputError) as error:
        folder("https://ann:hunter2@data.invalid/")
    assert "hunter2" not in str(error.value)
    assert shown("https://ann:hunter2@data.invalid/a?token=hunter2#hunter2") == "https://data.invalid/a"


def test_a_folder_has_one_slash_at_its_end():
    assert folder("http://x/a") == folder("http://x/a/") == folder("http://x/a//") == "http://x/a/"


def test_a_second_download_into_the_same_folder_is_refused(source, settings, remote, tmp_path):
    with FileLock(tmp_path / ".download.lock"), pytest.raises(StoreBusy):
        pubmed(source, settings, remote, to=tmp_path)
    assert source.asked == []


def test_a_folder_that_cannot_be_written_is_refused_before_any_request(source, settings, remote, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot be written"):
        pubmed(source, settings, remote, to=tmp_path / "file" / "deep")
    assert source.asked == []


def test_a_link_in_the_place_of_the_lock_is_not_written_through(source, settings, remote, tmp_path):
    (tmp_path / "victim").write_bytes(b"mine")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / ".download.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(InputError):
        pubmed(source, settings, remote, to=tmp_path / "to")
    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_a_disk_that_is_too_small_is_reported_before_it_is_full(source, settings, remote, monkeypatch):
    usage = shutil.disk_usage(settings.home.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(Refused, match=os.strerror(errno.ENOSPC) + "|free"):
        pubmed(source, settings, remote)
    left = {path.name for path in (settings.home / "downloads" / "pubmed").iterdir()}
    assert left == {".download.lock"}
