"""Texts that are none: empty, or with half a character in them."""

from groundwork.errors import UnfitText


def statement(text: str) -> str:
    """A text that can be judged, as it is.

    Raises:
        UnfitText: It is no text, is empty, or holds half of a surrogate pair: bytes on a command line that are not
            UTF-8, or a broken escape in JSON.
    """
    if not isinstance(text, str):
        raise UnfitText(f"{type(text).__name__} in place of a text", "a statement to judge", "give a str")
    if not text.strip():
        raise UnfitText("an empty text", "a statement to judge", "give a text, or --file with one a line")
    if broken(text):
        raise UnfitText(
            "a text with bytes that are not UTF-8, or half of a surrogate pair",
            "whole characters",
            "give the text in UTF-8, or by --file",
        )
    return text


def broken(text: str) -> bool:
    """Whether a text holds half of a surrogate pair."""
    return any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)
