"""The port of claims: what reads the claims of a text, so that judging and measuring work on the same ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from groundwork.linking import Mention
from groundwork.ports.progress import Progress
from groundwork.reading.tree import is_phrase
from groundwork.vocabulary import Sign


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation between two ends, as a claim states it.

    Attributes:
        subject: The end that acts, in active or passive voice; if neither acts, the first one.
        predicate: The words that state the relation, as written.
        relation: The PubTator3 relation of the predicate; None if there is none.
        object: The other end.
        negated: Whether the claim denies the relation.
        sign: +1 if more of one end goes with more of the other, -1 if it goes with less of the other, 0 for a relation
            without a sign; before negation.
        hedged: Whether the claim only says that the relation may hold.
    """

    subject: Mention
    predicate: str
    relation: str | None
    object: Mention
    negated: bool
    sign: Sign
    hedged: bool

    @property
    def keys(self) -> tuple[str, str] | None:
        """The keys of the concepts of subject and object; None if one of them is a noun phrase."""
        subject, target = self.subject.key, self.object.key
        return (subject, target) if subject and target and not is_phrase(subject) and not is_phrase(target) else None


@dataclass(frozen=True, slots=True)
class SaidClaim:
    """A claim of a text.

    Attributes:
        text: The claim, understandable on its own; a whole sentence if no claim was found in it.
        triple: What it states; None if no relation between two ends can be read in it.
    """

    text: str
    triple: Triple | None


class ClaimReader(Protocol):
    """Reads the claims of texts."""

    def read(
        self, text: str, *, concepts: Mapping[str, str] | None = None, progress: Progress | None = None
    ) -> Iterator[SaidClaim]:
        """Yield the claims of a text in order, and the sentences that state something but gave no claim.

        Args:
            text: Any English text.
            concepts: The meaning of names in the text, as a mapping from name to concept key.
            progress: Receives a report after each sentence.

        Raises:
            InputError: The text is empty.
        """
        ...

    def read_all(self, texts: Iterable[str]) -> Iterator[tuple[SaidClaim, ...]]:
        """Yield the claims of each text, as `read` does for one text. The names of many texts are looked up together.

        Raises:
            InputError: A text is empty.
        """
        ...
