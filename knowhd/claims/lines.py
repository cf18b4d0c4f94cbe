"""The lines of a text that claims are taken from: its sentences, and the parts of those too long to be read whole."""

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences

#: What is to be said of a claim from a part of a sentence.
CUT = "cut"


def lines(text: str, *, questions: bool = True) -> list[tuple[Sentence, tuple[str, ...]]]:
    """The lines of a text, in order, each with the flags of a claim that comes from it.

    Args:
        text: The text.
        questions: False leaves out what asks.
    """
    asked = [sentence for sentence in sentences(text) if questions or not sentence.text.endswith("?")]
    parts = [(part, cut(sentence)) for sentence in asked for part in cut(sentence)]
    return [(part, (CUT,) if len(of) > 1 else ()) for part, of in parts]
