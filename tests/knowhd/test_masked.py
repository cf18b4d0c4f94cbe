from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork.linking import Mention
from knowhd.claims.grammar.masked import Masked
from tests.knowhd.conftest import mention

WORDS = st.lists(
    st.sampled_from(["type 2 diabetes", "IL-6", "aspirin", "lowers", "the", "risk", "of"]), min_size=1, max_size=8
)


def test_names_stand_in_and_the_original_comes_back():
    text = "Type 2 diabetes mellitus is treated with metformin."
    parsed = Masked(text, [mention(text, "type 2 diabetes mellitus"), mention(text, "metformin")])
    assert "diabetes" not in parsed.doc.text
    assert parsed.original(parsed.doc) == text
    assert [parsed.original(parsed.place(m)) for m in parsed.mentions] == ["Type 2 diabetes mellitus", "metformin"]


def test_a_compound_with_a_hyphen_keeps_its_other_half():
    text = "Cisplatin-induced damage"
    parsed = Masked(text, [mention(text, "cisplatin")])
    assert parsed.original(parsed.doc) == text


@settings(deadline=None)  # the first example loads the parser
@given(WORDS)
def test_whatever_is_masked_comes_back(words):
    text, mentions = "", []
    for word in words:
        if word not in {"lowers", "the", "risk", "of"}:
            mentions.append(Mention(word, len(text), len(text) + len(word), word, word, 1.0))
        text += word + " "
    parsed = Masked(text, mentions)
    assert parsed.original(parsed.doc) == text.strip()
    for found in mentions:
        assert parsed.original(parsed.place(found)) == found.text
