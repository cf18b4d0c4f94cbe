"""Words that only join a sentence to others: "First, ...", "However, ...", ", on the other hand, ...".

They say nothing of what is claimed and lean on what stood before, so no claim keeps them. "Together," and "perhaps"
stay: the one says who acts, the other how sure it is.
"""

import re

from knowhd.claims.grammar.shown import capital

#: Between commas, or in front.
_ANYWHERE = (
    r"however|nevertheless|nonetheless|on the (?:contrary|other hand)|(?:in|by) contrast|in turn|therefore|thus|"
    r"moreover|furthermore|consequently|likewise|similarly|conversely|indeed|in fact|as a (?:result|consequence)"
)
_IN_FRONT = (
    r"first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last(?:ly)?|finally|in addition|additionally|besides|"
    r"instead|on the one hand|hence|accordingly|for (?:example|instance)|specifically|in particular|of note|"
    r"(?:most )?(?:importantly|interestingly|notably|surprisingly|intriguingly|remarkably)|"
    r"in (?:summary|conclusion|short|brief)|overall|that is"
)
_JOINT = r"(?:and|but) (?!neither|so\b|not\b)"
_FRONT = re.compile(
    rf"^(?:{_JOINT})?(?:(?:{_ANYWHERE}|{_IN_FRONT}|so|yet), |(?:thus|hence|therefore) (?!far\b))|^{_JOINT}", re.I
)
_WITHIN = re.compile(rf", (?:{_ANYWHERE}),(?= )", re.I)
#: Among the words of a verb, without commas: "should therefore suppress", "which in turn activates".
_AMONG = re.compile(r"(?<=\w) (?:therefore|thus|hence|consequently|accordingly|in turn)(?= \w)(?! far\b)", re.I)


def unjoined(text: str) -> str:
    """A sentence without the words that join it to others; as it is where it would have none left."""
    rest = _FRONT.sub("", text, count=1)
    return _AMONG.sub("", _WITHIN.sub("", capital(rest) if rest else text))
