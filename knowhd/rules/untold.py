"""What a claim leaves untold that would have to be known to judge it: "it lowers B", "A lowers this enzyme".

Evidence is looked for by a claim's own words, so one that was taken from a text and is flagged as leaning on it is on
neither side, by whatever source. Beside evidence that people chose for a claim, its words mean what that is of. Where
only the circumstances lean ("A lowers B in these patients", "A thereby lowers B") it still says something between two
things that it names, and that is judged: evidence cannot be held to circumstances that a claim does not name.
"""

from typing import TYPE_CHECKING

from groundwork.quoted import quoted
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.leaning.leaning import leaners
from knowhd.rules.phrases import phrased
from knowhd.rules.saying import saying_of
from knowhd.rules.subject import claimed

if TYPE_CHECKING:
    from spacy.tokens import Token

#: The flag of a claim that leans, whoever made it.
_FLAG = "pronoun_unresolved"
_SOMETHING = "It leans on something that is not said in it, so no evidence decides it."
#: Prepositions before where, when and of whom something is so.
_WHERE = lexicon.STAGING | lexicon.words("across after at before following throughout under")
#: The text itself.
_HERE = frozenset({"here", "hereby", "herein"})
_STUDY = lexicon.words("article paper report review study trial work")
#: What makes a verb whole, so that what else hangs from it is a circumstance.
_WHOLE = frozenset({"acomp", "agent", "attr", "dobj"})


def untold(claim: Claim) -> str:
    """Why a claim that is flagged cannot be judged for what it does not tell; empty for one that can, or is not."""
    if _FLAG not in claim.flags:
        return ""
    parsed = Masked(claim.text, claim.mentions)
    seen, (start, plain) = leaners(parsed), claimed(claim.text)
    if not seen:
        return _SOMETHING
    within = (t for t in seen if start <= parsed.offsets(t)[0] < start + len(plain))
    leaning = tuple(token for token in within if not (_is_told(token) or _is_common(token)))
    judged = [token for token in leaning if not _is_aside(token)]
    if not leaning or (not judged and _says_all_the_same(claim, parsed, leaning)):
        return ""
    first = (judged or leaning)[0]
    return f"What {quoted(parsed.original(_phrase(first)))} stands for is not said in it, so no evidence decides it."


def _says_all_the_same(claim: Claim, parsed: Masked, leaning: tuple["Token", ...]) -> bool:
    """Whether a claim says something between two things that stand outside of the circumstances that lean."""
    told = claim if len(claim.concepts) > 1 else phrased(claim)
    said = saying_of(told)
    within = [parsed.offsets(token) for each in leaning if (over := _circumstance(each)) for token in over.subtree]
    return said is not None and not any(
        mention.key in said.assertion.ends and mention.start < end and start < mention.end
        for mention in told.mentions
        for start, end in within
    )


def _is_told(token: "Token") -> bool:
    """Whether a word points at who wrote the text, the same in each claim ("in this study", "here"), or ahead.

    "Those patients who smoke" are told by what follows.
    """
    noun = token.head if token.dep_ == "det" else token
    ahead = token.lower_ == "those" and any(child.dep_ in {"acl", "relcl"} for child in noun.children)
    return ahead or token.lower_ in _HERE or noun.lemma_.lower() in _STUDY


def _is_common(token: "Token") -> bool:
    """Whether a word is a kind of thing that the claim is not about: "prevents spread of the virus".

    Evidence that a claim finds is about some virus all the same; what "the drug lowers" is not to be known.
    """
    return token.pos_ == "NOUN" and token.dep_ in {"dobj", "pobj"}


def _is_aside(token: "Token") -> bool:
    """Whether a word stands in a circumstance, or is one: "there", "thereby"."""
    return token.dep_ == "advmod" or _circumstance(token) is not None


def _circumstance(token: "Token") -> "Token | None":
    """The preposition of the circumstance that a word stands in; None where what is judged needs the word."""
    for over in token.ancestors:
        if over.pos_ in {"VERB", "AUX"}:
            return None
        if over.dep_ == "prep" and over.lower_ in _WHERE and (over.i < over.head.i or not _needs(over.head)):
            return over
    return None


def _needs(head: "Token") -> bool:
    """Whether a word is not whole without what stands behind its preposition: "a change in", "results in"."""
    if head.pos_ == "NOUN":
        return lexicon.sign_of(head.lemma_) != 0 or lexicon.base(head.lemma_, lexicon.RELATING) is not None
    return head.pos_ == "VERB" and not any(child.dep_ in _WHOLE for child in head.children)


def _phrase(token: "Token") -> list["Token"]:
    """A word that leans, with the noun that it points at."""
    return [token, token.head] if token.dep_ in {"det", "poss"} and token.head.i == token.i + 1 else [token]
