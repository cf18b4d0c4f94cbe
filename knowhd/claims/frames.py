"""What only says who found something: "we found that", "it has been shown that". The claim is what was found.

A frame that leaves open whether it is so ("these results suggest that") is no claim either, but its doubt belongs to
each claim in it, so it stays in front of them; but for the author's own ("we hypothesize that"), since that is what a
hypothesis claims. One that denies ("it has not been shown that") is no frame: such a
sentence stays whole.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from knowhd.claims.grammar.agreement import third
from knowhd.claims.grammar.shown import capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

STUDIES = (
    r"results?|findings?|data|study|studies|experiments?|analys[ie]s|work|observations?|evidence|authors?|trials?|"
    r"investigators|researchers|scientists|literature|research|reviews?|meta-analys[ie]s|reports?|papers?|groups?"
)
_BEFORE = (
    r"(?:the|these|this|those|our|their|a|an|present|current|previous|prior|recent|earlier|several|many|various|"
    r"numerous|some|other|two|three|\w+ical|strong|growing|recent|new|of|large|more|accumulating|converging|emerging|"
    r"increasing|mounting|preliminary|lines?) "
)
_WHO = (
    rf"(?:we|I|(?:{_BEFORE}){{0,4}}(?:{STUDIES})(?: (?:from|of|in|by) [^,;]{{1,60}}?)?|"
    r"[A-Z][\w'-]+(?: and [A-Z][\w'-]+)? et al\.?)"
)
_BY_THE_WAY = (
    r"(?:(?:have|has|had|also|further|clearly|previously|recently|consistently|thus|now|here|now|then|first|therefore|"
    r"together|repeatedly|strongly|firmly|well|already|long|been|furthermore|already) )*"
)
_FOUND = (
    r"(?:f[io]u?nds?|show(?:s|ed|n)?|demonstrate[sd]?|reveal(?:s|ed)?|establish(?:es|ed)?|confirm(?:s|ed)?|"
    r"prove[sdn]?|observe[sd]?|report(?:s|ed)?|note[sd]?|conclude[sd]?|indicate[sd]?|document(?:s|ed)?|"
    r"discover(?:s|ed)?|verif(?:y|ies|ied)|determine[sd]?|recogni[sz]e[sd]?|know|known)"
)
_GUESSED = (
    r"(?:suggest(?:s|ed|ing)?|hypothesi[sz]e[sd]?|speculate[sd]?|propose[sd]?|believe[sd]?|th(?:ink|inks|ought)|"
    r"assume[sd]?|suspect(?:s|ed)?|impl(?:y|ies|ied)|expect(?:s|ed)?|predict(?:s|ed)?|postulate[sd]?|"
    r"argue[sd]?|claim(?:s|ed)?|reason(?:s|ed)?|surmise[sd]?|anticipate[sd]?|suppose[sd]?|"
    r"(?:may|might|could) (?:indicate|show|mean)|(?:raises?|raised|support|supports|supported) the (?:possibility|idea|"
    r"hypothesis|notion|view))"
)
#: The verb of a frame; "that" behind it opens a clause, whatever a parser takes it for.
SAYING = re.compile(rf"{_FOUND}|{_GUESSED}", re.I)
#: What is only thought, by its noun: "one explanation is that", "our working hypothesis is that".
_THOUGHT = (
    r"(?:(?:one|another|a|an|the|our) (?:(?:most|more|very|also|\w+) ){0,2}"
    r"(?:explanation|possibility|interpretation|hypothesis|idea|scenario|view|model|prediction|assumption|proposal|premise)"
    r"(?: here)? (?:is|was|would be|may be|might be|could be)|the possibility (?:exists|remains))"
)
_MAY_BE = (
    r"it (?:may|might|could) (?:well )?be|"
    r"it (?:can|may|might|could) be (?:argued|assumed|hypothesi[sz]ed|postulated|speculated|supposed|expected)|"
    r"it (?:is|seems|appears) (?:tempting|reasonable|logical|plausible|possible) to "
    r"(?:speculate|assume|suppose|hypothesi[sz]e|propose|suggest|think|believe|postulate)"
)
#: What only bids to read on.
_NOTED = (
    r"(?:please )?note|it (?:should|must|can|may) (?:also )?be (?:noted|emphasi[sz]ed|stressed|mentioned|remembered)|"
    r"it is (?:also )?(?:worth(?:while)?|important to|interesting to|noteworthy|notable)"
    r"(?: (?:note|noting|mentioning|mention|stress|emphasi[sz]e|remember))?"
)
_OPEN = r"(?:(?:very |quite |also )?(?:likely|possible|plausible|probable|conceivable))"
_IT_IS = r"(?:it|It) (?:is|was|has|had|have)(?: now| generally| widely| commonly| also| therefore)? "
_THERE = r"there (?:is|was|are)(?: now| also)? (?:(?:strong|good|clear|compelling|ample|growing) )?evidence"
#: What stood before, or what others found, as that on which a claim is said to rest.
_BASIS = (
    r"(?:the )?(?:above|foregoing)|this|these|that|"
    r"(?:the|these|this|those|our|previous|prior|earlier|recent|other)(?: \w+)? "
    rf"(?:{STUDIES}|considerations?|premises?)"
)
_LED = re.compile(
    r"^(?:(?:in|from) (?:this|the present|our|the current|a previous|a recent|previous|recent|earlier|another) "
    r"(?:\w+ )?(?:study|studies|work|paper|trial|report|analysis|review|experiments?)|"
    r"here|taken together|together|"
    r"previously|recently|consistently|collectively),? ",
    re.I,
)
_ASIDE = re.compile(
    r"^(?:in our (?:view|opinion)|to (?:the best of )?our knowledge|"
    rf"(?:based|building) on (?:(?:all|both) (?:of )?)?(?:{_BASIS})|"
    rf"(?:in (?:line|agreement|accordance|keeping)|consistent) with (?:{_BASIS})), ",
    re.I,
)
_FACT = re.compile(
    rf"^(?:{_WHO} {_BY_THE_WAY}{_FOUND}(?: here| now)?|{_IT_IS}{_BY_THE_WAY}{_FOUND}|it (?:turns|turned) out|{_THERE}|"
    rf"{_NOTED}|it is (?:clear|evident|true|a fact|certain)) that,? ",
    re.I,
)
_DOUBT = re.compile(
    rf"^(?:(?:{_WHO}|this|that|which) {_BY_THE_WAY}{_GUESSED}|{_IT_IS}{_BY_THE_WAY}{_GUESSED}|{_IT_IS}{_OPEN}|"
    rf"{_THOUGHT}|{_MAY_BE}|it (?:seems|appears)(?: likely)?) that,? ",
    re.I,
)
#: What the text's own author thinks is what it claims: "we hypothesize that", "our hypothesis is that".
_OWN = re.compile(
    rf"^(?:(?:we|I) {_BY_THE_WAY}{_GUESSED}|"
    r"(?:our|my) (?:\w+ ){0,2}(?:hypothesis|idea|proposal|prediction|premise) is) that,? ",
    re.I,
)
_BARE = re.compile(rf"^{_WHO} {_BY_THE_WAY}{_FOUND} (?!that\b)", re.I)
_AND_THAT = re.compile(r",? and that (?=\w+ )|, that (?=\w+ )")
_GOES_ON = re.compile(rf"\b(?:and|but) {_BY_THE_WAY}(?:{_FOUND}|{_GUESSED}) (?:that|the|an?)\b")
_POINTING = re.compile(rf"^(?:these|this|those|our|their|the)(?: present| current)? (?=(?:\w+ )?(?:{STUDIES})\b)", re.I)
_FRONT_SHOWN = re.compile(
    r"^As (?:(?:we|has|have|had|is|was|previously|well|also|been|recently|it) ){0,4}"
    r"(?:shown|reported|described|demonstrated|known|noted|expected|observed)(?: (?:previously|before|above|here))?, "
)
_AS_SHOWN = re.compile(
    r", as (?:(?:we|has|have|had|is|was|previously|well|also|been|recently|it) ){0,4}"
    r"(?:shown|reported|described|demonstrated|known|noted|expected|observed|found)"
    r"(?: (?:previously|before|above|here))?(?:,|(?=[.!]?$))"
)
_AGAINST_OTHERS = re.compile(
    r",? (?:contrary to|in contrast (?:to|with)) (?:earlier|previous|prior|other|former|most) "
    rf"(?:\w+ )?(?:{STUDIES}|beliefs?|assumptions?)(?=[.!]?$)"
)
_KNOWN_TO = re.compile(
    r" (?:is|has been|(?P<many>are|have been)) (?:well |widely |generally |previously |recently |repeatedly )?"
    r"(?:known|shown|found|reported|demonstrated|proven|established) to (?P<verb>[a-z]+) (?!and\b|or\b)"
)

_LEFT_OPEN = re.compile(r"\b(?:no|none|nobody|nothing|neither|never|not|few|little|if|whether)\b", re.I)


@dataclass(frozen=True, slots=True)
class Framed:
    """A sentence without its frame.

    Attributes:
        lead: What stays in front of each of its claims: a doubt, or a circumstance; empty if nothing does.
        inner: What is framed, as a sentence.
    """

    lead: str
    inner: str


def unframed(text: str, asserts: Callable[[str], bool]) -> Framed | None:
    """A sentence without what frames it; None if nothing does.

    Args:
        text: The sentence.
        asserts: Whether words begin a clause; asked where a frame has no "that".
    """
    plain = _AGAINST_OTHERS.sub("", _AS_SHOWN.sub("", _FRONT_SHOWN.sub("", text)))
    plain = _ASIDE.sub("", plain)
    plain = _KNOWN_TO.sub(_does, plain, count=1) if len(_KNOWN_TO.findall(plain)) == 1 else plain
    if plain != text:
        return Framed("", capital(plain))
    circumstance, rest = "", text
    if led := _LED.match(text):
        rest = text[led.end() :]
    elif (place := re.match(r"(?:In|Among|For|During|At) [^,]{2,60}, ", text)) and _frame(text[place.end() :]):
        circumstance, rest = place[0], text[place.end() :]
    if not (match := _frame(rest)):
        bare = _BARE.match(rest)
        inner = capital(rest[bare.end() :]) if bare else ""
        return Framed("", inner) if inner and not circumstance and asserts(inner) else None
    inner = rest[match.end() :].strip(" ,")
    if _GOES_ON.search(inner):
        return None  # who found the one says the other as well
    doubt = match[0] if match.re is _DOUBT and not _OWN.match(match[0]) else ""
    lead = circumstance + _POINTING.sub("", doubt)
    return Framed(lead[:1].upper() + lead[1:], inner if lead else capital(inner)) if inner else None


def thats(inner: str) -> tuple[str, ...]:
    """What was found, where it is several: "(that) A, that B, and that C"."""
    parts = _AND_THAT.split(inner)
    return tuple(whole(part) for part in parts) if len(parts) > 1 else (inner,)


def under(lead: str, words: str, text: str) -> str:
    """A claim's words behind a lead, its first letter small where the text writes it so."""
    if not lead:
        return words
    first = words.split(maxsplit=1)[0] if words else ""
    small = first[:1].lower() + first[1:]
    as_small = first != small and re.search(rf"(?<!\w){re.escape(small)}(?!\w)", text)
    return f"{lead}{small if as_small else first}{words[len(first) :]}"


def _does(known: re.Match[str]) -> str:
    """For "is known to activate" "activates", where the verb relates things and is joined with no other."""
    joined = re.search(r"\b(?:and|or|but)\b", known.string[known.end() :]) or _LEFT_OPEN.search(known.string)
    if joined or not relates(known["verb"]):
        return known[0]
    return f" {known['verb'] if known['many'] else third(known['verb'])} "


def _frame(text: str) -> re.Match[str] | None:
    return _FACT.match(text) or _DOUBT.match(text)
