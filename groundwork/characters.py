"""Check that a text can be judged: not empty, not too long, valid Unicode without NUL."""

from groundwork.errors import UnfitText

#: The maximum length of a text that is judged in one call, in characters.
LONGEST = 1_000_000


def statement(text: str) -> str:
    """Return a text unchanged if it can be judged.

    Raises:
        UnfitText: If the value is not a str, is empty or only white space, has more than `LONGEST` characters, or
            contains a NUL character or an unpaired surrogate. Unpaired surrogates come from command-line bytes that are
            not UTF-8 and from broken JSON escapes.
    """
    if not isinstance(text, str):
        raise UnfitText(f"a value of type {type(text).__name__}", "a text to judge, as a str", "pass a str")
    if not text.strip():
        raise UnfitText("an empty text", "a text to judge", "give a text, or a file with one text per line")
    if len(text) > LONGEST:
        raise UnfitText(
            f"a text of {len(text):,} characters",
            f"at most {LONGEST:,} characters per text",
            "split the text, for instance into one abstract per line, and give the texts as a file",
        )
    if "\0" in text:
        remedy = "remove the NUL characters, or save the text as UTF-8"
        raise UnfitText("a text that contains a NUL character", "a text without NUL", remedy)
    if broken(text):
        raise UnfitText(
            "a text that contains bytes that are not UTF-8, or an unpaired surrogate (half of a UTF-16 pair)",
            "a text in valid Unicode",
            "save the text as UTF-8, or give it as a file",
        )
    return text


def broken(text: str) -> bool:
    """Return whether a text contains an unpaired surrogate."""
    return any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)
