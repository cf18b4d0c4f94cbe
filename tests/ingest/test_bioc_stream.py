"""The JSON cursor against the standard parser, however the bytes are cut into pieces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from ingest.documents.bioc import JsonStream

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def pieces(text: str, size: int) -> list[bytes]:
    data = text.encode("utf-8")
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(st.lists(values, max_size=4), st.integers(1, 40), st.booleans(), st.sampled_from([None, 1]))
def test_elements_equal_those_of_the_standard_parser(wanted, size, ascii_only, indent):
    text = json.dumps(wanted, ensure_ascii=ascii_only, indent=indent)
    stream = JsonStream("x", pieces(text, size))
    assert [stream.value() for _ in stream.elements()] == wanted
    assert stream.next() == ""
    assert stream.line == 1 + text.count("\n")


@given(st.dictionaries(st.text(), values, max_size=4), st.integers(1, 40))
def test_members_equal_those_of_the_standard_parser(wanted, size):
    stream = JsonStream("x", pieces(json.dumps(wanted), size))
    assert {name: stream.value() for name in stream.members()} == wanted


@given(values, st.integers(1, 40), st.data())
def test_a_value_cut_short_is_an_error_and_never_another_value(value, size, data):
    text = json.dumps([value])
    cut = data.draw(st.integers(1, len(text) - 1))
    stream = JsonStream("x", pieces(text[:cut], size))
    with pytest.raises(InputError, match=r"line 1: invalid JSON: .*the file ends"):
        stream.value()


def test_a_long_array_is_not_held():
    """Only a small part of the text is in memory at any time."""
    element = json.dumps({"text": "x" * 1000}) + ","
    held = []

    def chunks():
        yield b"["
        for _ in range(2000):
            yield element.encode()
            held.append(len(stream._text))
        yield b"0]"

    stream = JsonStream("x", chunks())
    assert sum(1 for _ in stream.elements() if stream.value() is not None) == 2001
    assert max(held) < 100 * len(element)


def test_an_error_far_from_the_end_is_reported_at_once():
    """More text cannot correct this error, so the rest of the file is not read into memory."""

    def chunks():
        yield b'[{"a": oops, ' + b" " * 100
        raise AssertionError("read on")

    stream = JsonStream("x", chunks())
    with pytest.raises(InputError, match="Expecting value"):
        stream.value()
