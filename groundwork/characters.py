"""Which texts can be judged: not empty, not too long, and of whole characters."""

from groundwork.errors import UnfitText

#: The longest text that is judged in one go, in characters.
LONGEST = 1_000_000


def statement(text: str) -> str:
    """A text that can be judged, as it is.

    Raises:
        UnfitText: It is no text, is empty, has more than `LONGEST` characters, or holds half of a surrogate pair: bytes
            on a command line that are not UTF-8, or a broken escape in JSON.
    """
    if not isinstance(text, str):
        raise UnfitText(f"{type(text).__name__} in place of a text", "a statement to judge", "give a str")
    if not text.strip():
        raise UnfitText("an empty text", "a statement to judge", "give a text, or --file with one a line")
    if len(text) > LONGEST:
        raise UnfitText(
            f"a text of {len(text):,} characters",
            f"at most {LONGEST:,} characters at a time",
            "give it in parts, for instance one abstract a line with --file",
        )
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
