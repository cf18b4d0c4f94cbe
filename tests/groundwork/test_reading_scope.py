"""The scope of negations, hedges, questions, conditions and other populations."""

import pytest

from groundwork.reading.reader import Reader
from groundwork.reading.tree import parse
from tests.groundwork.reading import marked

A, B = "{Aspirin|Chemical}", "{stroke|Disease}"


@pytest.mark.parametrize(
    ("sentence", "context"),
    [
        (f"{A} lowers {B}.", set()),
        (f"{A} does not lower {B}.", {"negation"}),
        (f"{A} did not raise blood pressure but lowered {B}.", set()),
        (f"{A} raised blood pressure but did not lower {B}.", {"negation"}),
        (f"No effect of {A} on {B} was seen.", {"negation"}),
        (f"{A} failed to prevent {B}.", {"negation"}),
        (f"Not only {A} but also rest lowers {B}.", set()),
        (f"{A} did not raise blood pressure or lower {B}.", {"negation"}),
        (f"Rest, but not {A}, lowers {B}.", {"negation"}),
        (f"{A} but not rest lowers {B}.", set()),
        (f"{A} raised insulin but not {B}.", {"negation"}),
        (f"Lack of {A} causes {B}.", set()),
        (f"Some authors wrongly claim that {A} lowers {B}.", {"negation"}),
        (f"It is a myth that {A} lowers {B}.", {"negation"}),
        (f"The claim that {A} lowers {B} is false.", {"negation"}),
        (f"There is little evidence that {A} lowers {B}.", {"negation"}),
        (f"It is doubtful that {A} lowers {B}.", {"negation"}),
        (f"There is no doubt that {A} lowers {B}.", set()),
        (f"Does {A} lower {B}?", {"question"}),
        (f"{A} lowers {B}: a new hope?", set()),
        (f"Further studies are needed to prove that {A} lowers {B}.", {"question"}),
        (f"{A} lowers {B}, but further studies are needed.", set()),
        (f"{B} was less frequent with rest than with {A}.", {"population"}),
        (f"{B} was less frequent with {A} than with rest.", set()),
        (f"In contrast to {A}, rest lowers {B}.", {"population"}),
        (f"It is unlikely that {A} lowers {B}.", {"negation"}),
        (f"{A} is an unlikely cause of {B}.", {"negation"}),
        (f"{A} was ineffective against {B}.", {"negation"}),
        (f"An association between {A} and {B} was not significant.", {"negation"}),
        (f"{A} lowered {B}, and the change in weight was not significant.", set()),
        (f"{B} persisted in spite of {A}.", {"population"}),
        (f"{A} may lower {B}.", {"hedge"}),
        (f"These results suggest that {A} lowers {B}.", {"hedge"}),
        (f"We asked whether {A} lowers {B}.", {"question"}),
        (f"The aim was to test {A} in {B}.", {"question"}),
        (f"Whether {A} lowers {B} remains unclear.", {"question"}),
        (f"If it is given early, {A} lowers {B}.", {"condition"}),
        (f"Among non-users of {A}, {B} was frequent.", {"population"}),
        (f"In the absence of {A}, {B} was frequent.", {"population"}),
        (f"Compared with placebo, {A} lowered {B}.", set()),
        (f"{A} withdrawal caused {B}.", {"population"}),
        (f"A relationship between {A} and {B} was not found.", {"negation"}),
        (f"An association between {A} and {B} was not observed in this cohort.", {"negation"}),
        (f"An association between {A} and {B} was disproved.", {"negation"}),
        (f"{A} was not found to raise {B}.", {"negation"}),
        (f"{A}-induced {B} did not occur.", {"negation"}),
        (f"{A}-induced {B} was absent.", {"negation"}),
        (f"{A} caused {B} in no patient.", {"negation"}),
        (f"{A} lowered {B} with no effect on weight.", set()),
        (f"{A} lowered {B}, and bleeding was not observed.", set()),
        (f"Rest prevented {B}, whereas {A} did not.", {"negation"}),
        (f"{A} prevented {B}, whereas rest did not.", set()),
        (f"The relationship between {A} and {B} was studied.", {"question"}),
        (f"Treatment of {B} with {A} was investigated.", {"question"}),
        (f"The effect of {A} on {B} has been examined in rats.", {"question"}),
        (f"{A}-induced {B} was studied in rats.", set()),
        (f"The effect of rest on weight was studied, and {A} lowered {B}.", set()),
    ],
)
def test_the_context_that_reaches_the_statement_is_found(sentence, context):
    (read,) = Reader().read(parse(*marked(sentence)))
    assert read.context == context
