"""Two verbs that share what stands behind the second: "A does not worsen, and may even improve, B in C"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import NAME, NOUN, QUALITY, THING, Part, Shown
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_MODAL = r"(?:can|could|may|might|must|should|will|would|does|do|did)"
_RAISED = re.compile(
    r"(?<= )(?P<one>[a-z]+)(?P<comma>,?) (?:and|but) "
    rf"(?P<thus>(?:thereby|thus|hence|therefore|consequently|subsequently) )?"
    rf"(?P<modal>{_MODAL} (?:(?:not|also|even|actually|instead) )*)?(?P<other>[a-z]+)(?P<closed>,?) "
)
#: Verbs that always have an object, so that one without shares that of the next; "decreases" may do without.
_ACTING = re.compile(
    r"(?:bind|inhibit|block|cleave|repress|suppress|stimulate|(?:in|de)?activate|degrade|\w{3,}ylate|ubiquitinate)"
    r"(?:s|d|ed)?"
)
_DENYING = re.compile(r"\b(?:not|cannot|never)\b|n['’]t\b", re.I)


def raised(told: Shown) -> Iterator[list[Part]]:
    """What each of the two verbs says of the thing behind the second; what is possible of one is not of the other."""
    for found in _RAISED.finditer(told.text):
        between = bool(found["comma"] and found["closed"])
        nouns = {told.seen[found.start(which)] for which in ("one", "other")} & {NAME, NOUN, QUALITY}
        if nouns or bool(found["comma"]) != bool(found["closed"]) or not (found["thus"] or found["modal"]):
            continue
        before, after = told.text[: found.start()], told.text[found.end() :]
        acting = (relates(found["one"]) or relates(found["other"])) if between else _ACTING.fullmatch(found["one"])
        if not acting or not re.match(THING, told.seen[found.end() :]):
            continue
        if found["modal"]:
            subject = told.subject()
            head = f"{told.text[: subject[1]]} {found['modal']}" if subject else ""
        else:
            head = "" if _DENYING.search(before) else before  # whether the second is denied as well is not clear
        if head:
            yield [(whole(f"{before}{found['one']} {after}"), False), (whole(f"{head}{found['other']} {after}"), False)]
