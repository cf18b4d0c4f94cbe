"""What a sentence says of its own clause: "it is false that", "... is a myth", "not only", "may or may not".

The way between two things does not pass through such words, so `reading` asks here. A frame has words of its own and
a reach. Each may turn what lies in its reach into its denial, leave it open, or, like "there is no doubt that", say
no more than that it is so; its own words deny nothing a second time.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowhd.rules.clause import clause_at
from knowhd.rules.groups import CONTROLS
from knowhd.rules.significance import maybe_chance, not_shown

_THAT = r"(?:\s+to\s+(?:say|claim|assert|state|believe|think|suggest|conclude|assume))?\s+that\b"
_UNTRUE = (
    r"(?:false|untrue|incorrect|wrong|mistaken|erroneous|unfounded|baseless|refuted|disproved|disproven|denied|debunked|"
    r"rejected|rebutted|dismissed|(?:an?\s+|the\s+)?(?:\w+\s+)?(?:myth|fallacy|misconception|error|mistake))"
)
_BE = (
    r"(?:is|was|are|were|be|been|has\s+been|have\s+been|had\s+been|can\s*not\s+be|could\s+not\s+be|must\s+be|seems|"
    r"proved)"
)
_SAID = r"(?:claim|idea|notion|belief|view|assertion|statement|hypothesis|suggestion|assumption|theory|report)s?"
_WHO = r"(?:we|they|he|she|authors|investigators|researchers|data|results|findings|study|trial|et\s+al\.?|[A-Z][\w'-]+)"
_DENIED = (
    r"(?:den(?:y|ies|ied)|refute[sd]?|disprove[sdn]?|reject(?:s|ed)?|rebut(?:s|ted)?|debunk(?:s|ed)?|doubt(?:s|ed)?)"
)
_NONE = (
    r"(?:no(?!\s+(?:more|less|fewer|small|time\b))|hardly\s+any|scarcely\s+any|barely\s+any|almost\s+no(?:ne)?|none)"
)
_NOT = r"(?:\s+not|n['’]t)"

#: Frames before what they frame, up to the end of the clause; the words that deny in them are counted.
_BEFORE = re.compile(
    rf"""\bit\s+{_BE}(?:\s+\w+)?(?:\s+not)?\s+{_UNTRUE}{_THAT}
    | \bit\s+{_BE}(?:\s+not)\s+(?:true|correct|right|the\s+case){_THAT}
    | \b(?i:{_WHO})\s+(?:(?:have|has|had|do|does|did|can|can\s*not|not|also)\s+)*{_DENIED}\s+that\b
    | \b(?:there\s+(?:is|was|can\s+be)|without)\s+(?:no|little|any|a)\s+doubt(?:\s+that|,)
    | \b(?:can\s*not|can['’]t)\s+(?:but|help\s+but)\b | \bnot\s+(?:only|just|merely|solely|simply|least)\b
    | \b[Nn]ot\s+(?:surprisingly|unexpectedly|unlike)\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: Frames that close around what they frame.
_AROUND = re.compile(
    rf"\b(?:the|a|any)\s+(?:\w+\s+)?{_SAID}\s+that\s(?P<inner>.+?)\s{_BE}(?:\s+(?:not|now|since))*\s+"
    rf"(?:{_UNTRUE}|(?:not\s+)?(?:true|correct))\b",
    re.IGNORECASE,
)
#: Frames behind what they frame.
_BEHIND = re.compile(
    rf"""(?:[;,.:]|\s(?:but|yet|and))\s.*\b(?:refute|contradict|disprove|disconfirm|rebut|rule\s+out)(?:s|d|ed)?\s+
        (?:this|it|that)\b.*
    | (?:[;,:]\s*|\s)(?:but|yet|however|though|although),?\s+(?:(?:this|it|they|that)\s+)?
        (?:did|does|do|was|were|is|has|have|had|could|can){_NOT}
        (?:\s+(?:so|the\s+case|seen|observed|confirmed|found|true|happen|done))?\s*[.;!]?\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
#: They stand anywhere in the clause that they deny.
_WITHIN = re.compile(
    rf"\b(?:no|not\s+any)\s+(?:more|better|worse|less|fewer|[a-z]{{3,9}}er)\b(?:\s+[^\s,;]+){{0,6}}?\s+than\s+"
    rf"(?:\w+\s+){{0,3}}?{CONTROLS.pattern}|"
    r"\b(?:is|are|was|were|be|been)\s+(?:\w+\s+)?independent\s+of\b|"
    rf"\bin\s+(?:(?:{_NONE})\b|(?:0|zero)\s?(?:%|per\s?cent))|\bunder\s+no\s+circumstances?\b|"
    rf"\b(?:did|does|do|can|could|will|would){_NOT},\s(?=[^;]*,\s)",
    re.IGNORECASE,
)
#: What has not been shown is neither so nor not so.
_UNPROVEN = (
    r"\b(?:has|have|had|is|are)\s+(?:yet|still)\s+to\s+be\s+\w+(?:ed|own|one|ven)\b|"
    r"\b(?:not\s+yet|yet\s+not|never)\s+been\s+(?:shown|proven|proved|demonstrated|established|tested|studied|done)\b|"
    r"\b(?:is|are|was|were|remains?)\s+(?:(?:as\s+)?yet\s+|still\s+|so\s+far\s+|largely\s+)?"
    r"(?:unproven|untested|unproved|undemonstrated|unconfirmed)\b"
)
#: Behind what they leave open, in a clause of their own: "but trials have yet to be done".
_AWAITED = re.compile(
    rf"[,;]?\s(?:but|although|though|yet|and)\s+(?:\w+\s+){{0,2}}"
    rf"(?:trials?|studies|evidence|proof|data|this|that|it|they)\s+(?:\w+\s+)?(?:{_UNPROVEN}).*",
    re.IGNORECASE,
)
#: They leave open what stands in the clause.
_OPEN = re.compile(
    r"\b(?:may|might|can|could)\s+or\s+(?:may|might|can|could)\s*not\b|"
    r"\bless\s+than\s+(?:\w+\s+){0,2}(?:placebo|controls?|vehicle)\b|"
    rf"{_UNPROVEN}|"
    r"\b(?:is|are|was|were|be|been)\s+(?:\w+\s+)?(?:proposed|postulated|speculated|conjectured|theori[sz]ed)\s+(?:to|that)\b|"
    r"\b(?:has|have|had)\s+(?:\w+\s+)?been\s+(?:\w+\s+)?(?:thought|believed|assumed|supposed|presumed|considered|suspected|"
    r"hypothesi[sz]ed)\s+(?:to|that)\b|\b(?:speculat|conjectur|surmis)(?:e[sd]?|ing|s|ed)?\s+that\b|"
    r"\b(?:once|formerly|previously|traditionally)\s+(?:believed|thought|assumed|held|claimed|considered)\b|"
    r"\b(?:people|patients|parents|users|many|some)\s+(?:believe|think|assume|claim)\b",
    re.IGNORECASE,
)
_DENYING = re.compile(
    rf"\b(?:not|no|never|little|can\s*not|doubt\w*|{_UNTRUE}|{_DENIED})\b|n['’]t\b",
    re.IGNORECASE,
)
#: A whole claim that leaves open what it speaks of; "whether or not" does not.
_ASKS = re.compile(
    r"""^whether\s(?!or\s+not\b)[^,]*$ | \b(?:may|might|can|could)\s+or\s+(?:may|might|can|could)\s*not\b
    | \b(?:not|n['’]t|nobody|no\s+one)\s+(?:yet\s+)?(?:know|knows|known|clear|certain|sure)\s+(?:if|whether|that)\b
    | \bit\s+(?:is|was|remains?)\s+(?:\w+\s+)?(?:unclear|unknown|uncertain|unsettled|debated|to\s+be\s+seen)\b
    | \b(?:question|doubt|debate)\s+(?:of\s+|about\s+)?whether\b""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame in a sentence; offsets are those of its characters.

    Attributes:
        words: Where its own words begin and end.
        reach: Where what it frames begins and ends.
        turns: It says that this is not so.
        open: It leaves open whether it is so.
    """

    words: tuple[int, int]
    reach: tuple[int, int]
    turns: bool
    open: bool = False

    def holds(self, start: int, end: int) -> bool:
        """Whether a stretch lies in its reach."""
        return self.reach[0] <= start and end <= self.reach[1]

    def has(self, place: int) -> bool:
        """Whether a character is one of its own words'."""
        return self.words[0] <= place < self.words[1]


def frames(text: str) -> tuple[Frame, ...]:
    """The frames of a sentence."""
    return tuple(_frames(text))


def claims_nothing(text: str) -> bool:
    """Whether a claim says no more than that something is open: "whether A treats B is unclear"."""
    return _ASKS.search(text) is not None


def bare(text: str) -> tuple[str, bool]:
    """A sentence without what frames the whole of it, and whether that turned it into its denial."""
    for frame in frames(text):
        inner = text[slice(*frame.reach)].strip(" ,;.")
        outside = frame.words[0] <= len(text) - len(text.lstrip()) or frame.words[1] >= len(text.rstrip(" .!"))
        if outside and inner and not frame.open and not frame.has(frame.reach[0]):
            return f"{inner[0].upper()}{inner[1:]}.", frame.turns
    return text, False


def _frames(text: str) -> Iterator[Frame]:
    for found in _AROUND.finditer(text):
        yield Frame(
            (found.end("inner"), found.end()), found.span("inner"), _odd(text[found.end("inner") : found.end()])
        )
    for found in _BEFORE.finditer(text):
        start, end = clause_at(text, found.start())
        before = re.match(r"can|not\s", found[0], re.I) is not None
        yield Frame(found.span(), (start if before else found.end(), end), not before and _odd(found[0]))
    for found in _BEHIND.finditer(text):
        yield Frame(found.span(), (0, found.start()), turns=True)
    for found in _WITHIN.finditer(text):
        yield Frame(found.span(), clause_at(text, found.start()), turns=True)
    for start, end in not_shown(text):
        yield Frame((start, end), clause_at(text, start), turns=True)
    for start, end in maybe_chance(text):
        yield Frame((start, end), clause_at(text, start), turns=False, open=True)
    for found in _OPEN.finditer(text):
        yield Frame(found.span(), clause_at(text, found.start()), turns=False, open=True)
    for found in _AWAITED.finditer(text):
        yield Frame(found.span(), (0, found.start()), turns=False, open=True)


def _odd(words: str) -> bool:
    return len(_DENYING.findall(words)) % 2 == 1
