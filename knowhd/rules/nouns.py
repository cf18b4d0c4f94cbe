"""What an article says between two phrases of a claim with fewer than two concepts, before its wording is weighed.

"DVX1 promotes apoptosis" and "DVX1 protects neurons from apoptosis" share all words but the one that matters, so by
wording either supports the other. So the phrases of the claim are marked in it and in the sentences (`phrases`), and
both are read as they are between concepts: with conditions, populations, figures and all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwork.language import parse
from groundwork.quoted import quoted
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage
from knowhd.evidence.study import of_study
from knowhd.judge import Stance
from knowhd.rules.alignment import likeness
from knowhd.rules.assertion import meanings
from knowhd.rules.decision import Decision, Tables, reading_probabilities, right_of, use_of
from knowhd.rules.heads import CONTENT, says
from knowhd.rules.phrases import is_name, phrased, seen_in
from knowhd.rules.reading import Reading
from knowhd.rules.saying import Saying, saying_of
from knowhd.rules.stances import names_ends
from knowhd.rules.taken_up import read_alone


@dataclass(frozen=True, slots=True)
class Between:
    """What a claim says between two of its phrases.

    Attributes:
        said: That, in the claim with its phrases marked.
    """

    said: Saying

    def read_in(self, shown: Sequence[Passage], tables: Tables | None = None) -> tuple[Passage, Decision] | None:
        """What the shown sentences of an article decide, and the first that does; for `tables` see `decide`.

        None if its wording may decide: where no sentence names both, and there are many, or what is missing may be
        worded otherwise, or one tells such an act of the other end and may call the one that acts "the drug".
        """
        seen = read_alone(of_study(seen_in(self.said.claim, shown)))
        naming = [passage.id for passage in seen if names_ends(passage, (self.said.assertion,))]
        if not naming and (use_of(len(shown)) == "passages" or not self._left_out(seen) or self._may_be_told(seen)):
            return None
        heard = self.said.hear(seen)
        agreed = set({**heard.found, **heard.whole}.values())
        whole = heard.whole if len(agreed) == 1 else {}
        spoken = next(iter((*whole, *heard.read, *naming)), shown[0].id)
        by = next(passage for passage in shown if passage.id == spoken)
        return by, self._decision(whole.get(spoken), len(shown), tables)

    def met_in(self, shown: Sequence[Passage], rest: frozenset[str]) -> bool:
        """Whether an article has a telling word of each end; a third thing in one's stead says nothing of it.

        Args:
            shown: The sentences of an article.
            rest: The words that are asked for: those of a subject may be told in other ways (`Subject`).
        """
        texts = {text for passage in shown for text in (passage.title, passage.sentence) if text}
        there = {likeness(token) for text in texts for token in parse(text)}
        named = [mention.text for mention in self.said.claim.mentions if mention.key in self.said.assertion.ends]
        words = [rest & {likeness(token) for token in parse(name) if says(token, CONTENT)} for name in named]
        return all(not own or not own.isdisjoint(there) for own in words)

    def _left_out(self, seen: Sequence[Passage]) -> bool:
        """Whether sentences speak of one end and never call the other by its name, or of both and never together."""
        there = {key for passage in seen for mention in passage.mentions for key in meanings(mention)}
        met = there.intersection(self.said.assertion.ends)
        named = (m.text for m in self.said.claim.mentions if m.key in self.said.assertion.ends and m.key not in met)
        return bool(met) and all(map(is_name, named))

    def _may_be_told(self, seen: Sequence[Passage]) -> bool:
        """Whether a sentence tells such an act of the end that is acted on, or stands last."""
        reading, ends = self.said.assertion.reading, self.said.assertion.ends
        patient = ends[reading.leads >= 0]
        return any(
            _may_tell(token.lemma_, reading)
            for passage in seen
            if any(patient in meanings(mention) for mention in passage.mentions)
            if not passage.sentence.startswith(("It ", "They "))
            for token in parse(passage.sentence)
        )

    def _decision(self, stance: Stance | None, sentences: int, tables: Tables | None) -> Decision:
        named = {mention.key: mention.text for mention in self.said.claim.mentions}
        ends = " and ".join(quoted(named.get(end, end)) for end in self.said.assertion.ends)
        because = f"read between {ends}, in place of its wording"
        return Decision(stance, reading_probabilities(stance), (because,), right_of(stance, sentences, tables))


def between(claim: Claim) -> Between | None:
    """What a claim says between two of its phrases; None where it says nothing."""
    said = saying_of(phrased(claim))
    return Between(said) if said else None


def _may_tell(word: str, reading: Reading) -> bool:
    """Whether a word may tell what is read: one of the same act, or of the sign of a word that it was read from."""
    if reading.act:
        return lexicon.act_of(word) == reading.act
    told = lexicon.sign_of(word)
    if reading.sign:
        return told != 0 and any(told == lexicon.sign_of(cue) for cue in reading.cues)
    return told != 0 or lexicon.base(word, lexicon.RELATING) is not None
