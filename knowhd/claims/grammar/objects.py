"""What stands behind a verb without a name that is known: "thromboxane" in "lowers thromboxane".

A small parser that does not know the word takes it for the verb, and the verb for a noun. So a familiar name stands in
for it while the sentence is parsed, as for a concept.
"""

import re
from collections.abc import Container
from itertools import islice

from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.verbs import relates

#: A word that may be a verb said of one thing.
_VERB = re.compile(r"(?<=[\w)] )[a-z]{2,30}[a-rt-z]s(?= [a-z])")
_WORD = re.compile(r" (?P<word>[a-z][a-z-]{2,40})(?=[ .,;)]|$)")
#: Words of which no thing is named.
_OTHERS = lexicon.words(
    """a about after again against all almost also although always among an and any are as at be because been
    before being both but by can could did do does during each either even few fewer first for from had has have
    hence here how however if in indeed instead into is it its itself later least less like many may might more
    most much neither never next no nor not nothing now of off often on once only or other our out over per
    previously rather same should since so some sometimes soon still such than that the their them then there
    therefore these they this those though through thus to together too toward towards twice under unless unlike
    until up upon very via was well were what when where whereas whether which while who whose will with within
    without would yet"""
)
#: Words of one thing at most.
_LONGEST = 3


def objects(parsed: Masked) -> tuple[Mention, ...]:
    """The unnamed things behind the verbs of a sentence, as mentions without a concept; none if no verb was lost."""
    tokens = {parsed.offsets(token)[0]: token for token in parsed.doc if not parsed.hides(token)}
    acting = [v for v in _VERB.finditer(parsed.text) if v.start() in tokens and relates(v[0])]
    behind = {v: end for v in acting if (end := _behind(parsed.text, v.end(), tokens)) > v.end()}
    if all(tokens[verb.start()].pos_ == "VERB" for verb in behind):
        return ()
    places = ((verb.end() + 1, end) for verb, end in behind.items())
    return tuple(Mention(parsed.text[a:b], a, b, None, None, 0.0) for a, b in places)


def _behind(text: str, end: int, free: Container[int]) -> int:
    """Where the words end that name what stands behind a place; `free` are the places of words without a name."""
    start = end
    for word in islice(_WORD.finditer(text, end), _LONGEST):
        plain = word["word"]
        verbal = word.start() == start and relates(plain) and not plain.endswith("s")  # "drug targets modulate"
        if word.start() != end or plain in _OTHERS or plain.endswith("ly") or verbal or word.start("word") not in free:
            break
        end = word.end()
    return end
