from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from knowhd.groundedness import measure
from knowhd.judge import SOURCES, Judgement

VERDICTS = st.sampled_from(["supported", "contradicted", "not_enough", "failed"])


@given(st.lists(st.tuples(VERDICTS, VERDICTS, VERDICTS)))
def test_the_share_of_supported_among_those_not_failed(rows):
    measured = measure([{s: Judgement(v, "", {}) for s, v in zip(SOURCES, row, strict=True)} for row in rows])
    for at, source in enumerate(SOURCES):
        column = [row[at] for row in rows if row[at] != "failed"]
        assert measured.claims_judged[source] == len(column)
        assert measured.claims_failed[source] == len(rows) - len(column)
        share = Fraction(column.count("supported"), len(column)) if column else None
        assert measured.groundedness[source] == (float(share) if share is not None else None)
