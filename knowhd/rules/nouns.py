"""What an article says between two nouns of a claim with fewer than two concepts, before its wording is weighed.

"DVX1 promotes apoptosis" and "DVX1 protects neurons from apoptosis" share all words but the one that matters, so by
wording either supports the other. Where the parse reads a direction between two nouns of the claim, and something
between the same two in a sentence of the article, that decides. Sentences of abstracts are seldom so plain; where they
are, it is right more often than wording (DECISIONS.md has the figures).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage
from knowhd.judge import Stance
from knowhd.rules.assertion import Assertion, assertions_of, word_of
from knowhd.rules.beyond import Beyond, beyond
from knowhd.rules.decision import Decision, Tables, reading_probabilities, right_of
from knowhd.rules.populations import others
from knowhd.rules.stances import stance_of


@dataclass(frozen=True, slots=True)
class Between:
    """What a claim says between two of its nouns, in a direction.

    Attributes:
        claim: The claim.
        assertion: What it says between them.
        more: What it says beyond that.
    """

    claim: Claim
    assertion: Assertion
    more: Beyond

    def read_in(self, shown: Sequence[Passage], tables: Tables | None = None) -> tuple[Passage, Decision] | None:
        """What the shown sentences of an article decide, and the first that does; for `tables` see `decide`.

        None if none says anything between the two, or they do not agree: then its wording may.
        """
        read = [(passage, stance) for passage in shown if (stance := stance_of(passage, (self.assertion,)))]
        if len({stance for _, stance in read}) != 1:
            return None
        whole = [(passage, stance) for passage, said in read if (stance := self._borne_out(passage, said))]
        passage, stance = whole[0] if whole else (read[0][0], None)
        named = {mention.key: mention.text for mention in self.claim.mentions}
        ends = " and ".join(repr(word_of(end) or named.get(end, end)) for end in self.assertion.ends)
        because = f"read between {ends}, in place of its wording"
        return passage, Decision(
            stance, reading_probabilities(stance), (because,), right_of(stance, len(shown), tables)
        )

    def _borne_out(self, passage: Passage, stance: Stance) -> Stance | None:
        """The stance of a sentence on the whole claim, of those it is about."""
        return None if others(self.claim.text, passage) else self.more.weighed(passage, stance)


def between(claim: Claim) -> Between | None:
    """The clearest thing that a claim says between two nouns in a direction; None where it says none."""
    found = next((each for each in assertions_of(claim) if each.reading.sign), None)
    return Between(claim, found, beyond(claim, found)) if found else None
