"""The concepts that a text names: exact names in all spellings, short forms, and ordinary words that name nothing."""

import sqlite3
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypher import connect
from groundwork.linking import Linker, Mention, MentionCache
from groundwork.ports import Graph
from groundwork.records import Concept, Match, Release, fingerprint, live
from groundwork.settings import Settings
from groundwork.spelling import common_words, opening, opposed, opposed_pairs, variants
from groundwork.surroundings import Surroundings, abbreviations
from groundwork.tables import concept_batch

NAMES = {
    "Gene|8021": ("CAN", "NUP214"),
    "Gene|7454": ("WAS",),
    "Gene|3364": ("IMPACT",),
    "Gene|6418": ("SET",),
    "Gene|3569": ("IL-6", "interleukin-6"),
    "Gene|118": ("ADD",),
    "Gene|7124": ("TNF-alpha", "TNF"),
    "Gene|1499": ("ß-catenin",),
    "Gene|3553": ("IL-1beta",),
    "Gene|999": ("caspase",),
    "Gene|3845": ("KRAS", "K-ras"),
    "Gene|7157": ("TP53", "p53"),
    "Gene|440": ("ASNS", "ASA"),
    "Chemical|MESH:D001241": ("aspirin", "ASA"),
    "Chemical|MESH:D007854": ("lead", "Pb"),
    "Chemical|MESH:D014805": ("vitamin B(12)",),
    "Chemical|MESH:D002118": ("calcium", "Ca2+", "Ca(2+)"),
    "Chemical|MESH:D002713": ("chlorine", "Cl-"),
    "Gene|2668": ("GDNF",),
    "Gene|4233": ("MET",),
    "Chemical|MESH:D000111": ("N-acetylcysteine",),
    "DNAMutation|c|SUB|T|643|C": ("c.643T>C",),
    "Gene|7040": ("transforming growth factor (TGF)-beta1",),
    "Disease|MESH:D000544": ("Alzheimer disease",),
    "Disease|MESH:D003920": ("diabetes",),
    "Disease|MESH:D003924": ("Type 2 diabetes", "diabetes mellitus, type 2"),
    "Disease|MESH:D006689": ("Hodgkin lymphoma",),
    "Disease|MESH:D007003": ("hypoglycemia",),
    "Disease|MESH:D008175": ("lung cancer",),
    "Disease|MESH:D009369": ("tumor", "cancer"),
    "Disease|MESH:D009362": ("metastasis",),
    "Disease|MESH:D010146": ("pain",),
    "Disease|MESH:D006973": ("hypertension", "high blood pressure"),
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    store = connect("memory:", Settings(home=tmp_path_factory.mktemp("home")))
    concepts = [
        Concept(key, names[0], names, tuple(range(9 * len(names), 0, -9)[: len(names)])) for key, names in NAMES.items()
    ]
    with store.writing():
        store.put_concepts([concept_batch(concepts)])
    yield store
    store.close()


@pytest.fixture(scope="module")
def linker(graph: Graph) -> Linker:
    return Linker(graph)


FOUND = {
    "Patients with Alzheimer's disease were older.": [("Alzheimer's disease", "Disease|MESH:D000544")],
    "IL6, IL 6 and interleukin-6": [("IL6", "Gene|3569"), ("IL 6", "Gene|3569"), ("interleukin-6", "Gene|3569")],
    "TNF-α-induced metastases": [("TNF-α", "Gene|7124"), ("metastases", "Disease|MESH:D009362")],
    "β-catenin or beta-catenin": [("β-catenin", "Gene|1499"), ("beta-catenin", "Gene|1499")],
    "IL-1ß or IL1\u0392": [("IL-1ß", "Gene|3553"), ("IL1\u0392", "Gene|3553")],
    "It was type-2 diabetes.": [("type-2 diabetes", "Disease|MESH:D003924")],
    "diabetes mellitus, type 2": [("diabetes mellitus, type 2", "Disease|MESH:D003924")],
    "Tumours and lung cancers": [("Tumours", "Disease|MESH:D009369"), ("lung cancers", "Disease|MESH:D008175")],
    "Ca2+ and Ca(2+)-dependent Cl- channels": [
        ("Ca2+", "Chemical|MESH:D002118"),
        ("Ca(2+)", "Chemical|MESH:D002118"),
        ("Cl-", "Chemical|MESH:D002713"),
    ],
    "gdnf and tnf met": [("gdnf", "Gene|2668"), ("tnf", "Gene|7124")],
    "vitamin B(12) helps": [("vitamin B(12)", "Chemical|MESH:D014805")],
    "wild-type K-ras and p53": [("K-ras", "Gene|3845"), ("p53", "Gene|7157")],
    "a c.643T>C change": [("c.643T>C", "DNAMutation|c|SUB|T|643|C")],
    "no transforming growth factor (TGF)-beta1": [("transforming growth factor (TGF)-beta1", "Gene|7040")],
    "high blood pressure": [("high blood pressure", "Disease|MESH:D006973")],
    "non-Hodgkin lymphoma and Hodgkin lymphomas": [("Hodgkin lymphomas", "Disease|MESH:D006689")],
    "The SET gene was set; WAS was lost.": [("SET", "Gene|6418"), ("WAS", "Gene|7454")],
    "Lead may lead to pain.": [("Lead", "Chemical|MESH:D007854"), ("pain", "Disease|MESH:D010146")],
}


@pytest.mark.parametrize("text", FOUND, ids=lambda text: text[:30])
def test_names_are_found_in_every_spelling(linker, text):
    mentions = linker.mentions(text)
    assert [(m.text, m.key) for m in mentions] == FOUND[text]
    assert all(text[m.start : m.end] == m.text and 0 < m.score <= 1 for m in mentions)


@pytest.fixture(scope="module")
def pruned(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Linker]:
    """A linker of a store that tells which words begin a name. The store in memory cannot tell this."""
    home = tmp_path_factory.mktemp("home")
    store = connect(f"embedded:{home / 'graph'}", Settings(home=home))
    with store.writing():
        store.put_concepts([concept_batch(list(graph.every_concept()))])
    assert store.begun({"type 2", "typed", "Typ"}) == {"type 2", "Typ"}
    yield Linker(store)
    store.close()


WORDS = ("type", "2", "diabetes", "mellitus", "Hodgkin's", "Hodgkin", "lymphomas", "vitamin", "B(12)", "c.643T>C")
SHAPES = ("(", ")", ",", "-", "’s", "tumours", "TNF", "α", "metastases", "hyperglycaemia", "high", "blood", "pressures")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((*WORDS, *SHAPES)), st.sampled_from(("", " ", " "))), max_size=30))
def test_a_store_that_tells_how_names_begin_finds_the_same_mentions(linker, pruned, parts):
    text = "".join(f"{part}{gap}" for part, gap in parts)
    assert pruned.mentions(text) == linker.mentions(text)


@pytest.mark.parametrize(
    "text",
    [
        "It can be high, and it was set as a rule.",
        "Was it so? Can it add up? The impact of an impact.",
        "caspase-3 is no caspase named so",
        "IT WAS SET.",
        "an OR of 1.2 (95 % CI 1.0 to 1.4) at a high rate",
        "The lead compound may lead to a lead author.",
        "5 6 7, a b c.",
        "Cl-channels met Ca +/- 2.",
        "",
    ],
)
def test_ordinary_words_and_numbers_are_no_concepts(linker, text):
    assert [m.text for m in linker.mentions(text) if m.text != "caspase"] == []


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("TNF-R1 binds TNF.", ["Gene|7124"]),
        ("p53-2 is no TP53.", ["Gene|7157"]),
        ("KRAS-induced pain", ["Gene|3845", "Disease|MESH:D010146"]),
        ("IL-6-deficient", ["Gene|3569"]),
    ],
)
def test_the_beginning_of_a_longer_symbol_is_no_name(linker, text, keys):
    assert [mention.key for mention in linker.mentions(text)] == keys


def test_a_short_form_means_what_the_text_says(linker):
    text = "Alzheimer disease (AD) is common. Is AD pain? Aspirin (ASA) and AD."
    found = [(m.text, m.key, m.how) for m in linker.mentions(text)]
    assert [f for f in found if f[0] == "AD"] == [("AD", "Disease|MESH:D000544", "abbreviation")] * 3
    assert [f[1] for f in found if f[0] == "ASA"] == ["Chemical|MESH:D001241"]


def test_a_short_form_of_something_else_is_no_gene(linker):
    assert linker.mentions("The average daily dose (ADD) rose; ADD fell.") == ()
    assert [m.key for m in linker.mentions("In mice ADD rose.")] == ["Gene|118"]
    assert [m.text for m in linker.mentions("Non-small cell lung cancer (NSCLC) and NSCLC.")] == ["lung cancer"]


def test_an_ambiguous_short_name_keeps_its_alternatives(linker):
    gene, chemical = linker.link("ASA", "Gene"), linker.link("ASA", "Chemical")
    assert (gene.key, chemical.key) == ("Gene|440", "Chemical|MESH:D001241")
    assert {m.key for m in gene.alternatives} == {m.key for m in chemical.alternatives} == {gene.key, chemical.key}


def test_given_meanings_of_names_are_used(graph):
    given = Linker(graph, given={"ASA": "Gene|440", "the Wonder-drug": "Chemical|MESH:D001241"})
    text = "Acetylsalicylic acid (ASA) and asa; wonder drug, not lung cancer."
    found = [(m.text, m.key, m.how, m.ambiguous) for m in given.mentions(text)]
    assert found[0] == ("ASA", "Gene|440", "given", False)
    assert [each[:2] for each in found[1:]] == [
        ("asa", "Gene|440"),
        ("wonder drug", "Chemical|MESH:D001241"),
        ("lung cancer", "Disease|MESH:D008175"),
    ]
    assert given.link("the wonder drug", "Gene").key == "Chemical|MESH:D001241"
    assert given.link("ASA", "Chemical").alternatives[0].key == "Gene|440"


LINKS = {
    "Disease|MESH:D000544": ("Disease|MESH:D000544", "key"),
    "the tumour": ("Disease|MESH:D009369", "name"),
    "High Blood Pressure": ("Disease|MESH:D006973", "synonym"),
    "Alzhemer disease": ("Disease|MESH:D000544", "fuzzy"),
    "hyperglycemia": (None, "none"),
    "IL-8": (None, "none"),
    "Gene|404": (None, "none"),
    "": (None, "none"),
    "...": (None, "none"),
}


@pytest.mark.parametrize("phrase", LINKS)
def test_a_phrase_links_as_a_whole_or_not_at_all(linker, phrase):
    mention = linker.link(phrase)
    assert (mention.key, mention.how) == LINKS[phrase]
    assert (mention.key is None) == (mention.score == 0.0) == (mention.name is None)


def test_near_candidates_that_were_refused_are_kept(linker):
    assert "Disease|MESH:D007003" in {m.key for m in linker.link("hyperglycemia").alternatives}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"AD(),.-5 ", "TNF", " p53 ", "can ", "IL-6", "(ASA)", "aspirin ", "α", "non-"]), max_size=14
    )
)
def test_mentions_are_ordered_slices_that_never_overlap(linker, parts):
    text = "".join(parts)
    mentions = linker.mentions(text)
    assert all(text[m.start : m.end] == m.text for m in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("nuclear factor kappa B (NF-kB) rose", "NF-kB", "nuclear factor kappa B"),
        ("patients with multiple sclerosis (MS)", "MS", "multiple sclerosis"),
        ("NAC (N-acetylcysteine) helped", "NAC", "N-acetylcysteine"),
        ("tumor necrosis factor alpha (TNF-a; 5 ng)", "TNF-a", "tumor necrosis factor alpha"),
    ],
)
def test_definitions_in_brackets_are_read(text, short, long):
    assert [(a.short, text[a.start : a.end]) for a in abbreviations(text)] == [(short, long)]


@pytest.mark.parametrize(
    "text", ["as seen (Fig. 2)", "in women (n = 5)", "it rose (p<0.05)", "a disease (see below)", "()"]
)
def test_other_brackets_define_nothing(text):
    assert abbreviations(text) == ()


def test_opposites_are_recognised_by_word_and_by_affix():
    assert opposed("Hyperglycemia", "hypoglycemia")
    assert opposed("upregulate", "downregulate")
    assert opposed("increase", "decrease")
    assert opposed("oxidant", "antioxidant")
    assert opposed("nonsmoker", "smoker")
    assert not opposed("body", "antibody")
    assert not opposed("protein", "protein")
    assert not opposed("insulin", "aspirin")
    assert opposed_pairs("high glucose and hyperthyroidism", "low glucose, hypothyroidism") == (
        ("high", "low"),
        ("hyperthyroidism", "hypothyroidism"),
    )


def test_common_words_are_words_or_abbreviations_and_hold_no_disease():
    words = common_words()
    assert all(word.islower() or word[:2].isupper() for word in words)
    assert {"can", "was", "set", "high"} <= words
    assert not {"insulin", "leptin", "cancer", "diabetes"} & words


@pytest.mark.parametrize(
    "name", ["lungs", "axes", "metastases", "studies", "type 2 diabetes", "TNF-α", "Alpers' disease"]
)
def test_every_spelling_of_a_name_begins_with_its_opening(name):
    assert all(form.startswith(opening(name)) for form in variants(name))


def test_variants_start_with_the_name_itself():
    assert variants("TNF-α") == ["TNF-α"], "a form of a name has the names of Greek letters"
    assert "Alzheimer disease" in variants("Alzheimer's disease")
    assert "metastasis" in variants("metastases")
    assert "Alpers syndrome" in variants("Alpers' syndrome")
    assert "anesthesia" in variants("anaesthesia") and "lupus erythematosus" in variants("lupus erythaematosus")
    assert variants("AIDS") == ["AIDS"]


NAMED = {
    "Gene|7157": {"TP53": 5, "p53": 5},
    "Gene|22059": {"Trp53": 3, "p53": 2},
    "Disease|MESH:D003924": {"Diabetes Mellitus, Type 2": 1},
    "Disease|MESH:D006973": {"hypertension": 9},
    "Disease|MESH:D006331": {"Heart Diseases": 4, "CHD": 1},
    "Disease|MESH:D003327": {"coronary heart disease": 5, "CHD": 2},
    "Disease|MESH:D020521": {"stroke": 5},
    "Chemical|MESH:D015230": {"prostaglandin D2": 5},
    "Disease|MESH:D004194": {"Disease": 9},
    "Disease|MESH:D008288": {"malaria": 3},
    "Disease|MESH:D007239": {"infection": 9},
    "Disease|MESH:D009293": {"opiate dependence": 2},
    "Disease|MESH:D008569": {"memory impairment": 2},
    "Gene|2731": {"GLDC": 2},
    "Gene|104174": {"Gldc": 2, "glycine decarboxylase": 1},
}


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Linker]:
    store = connect("memory:", Settings(home=tmp_path_factory.mktemp("home")))
    concepts = [Concept(key, next(iter(names)), tuple(names), tuple(names.values())) for key, names in NAMED.items()]
    with store.writing():
        store.put_concepts([concept_batch(concepts)])
    yield Linker(store)
    store.close()


def test_a_phrase_without_an_exact_match_is_linked_by_rewording(counted):
    for phrase, key in {"type 2 diabetes mellitus": "D003924", "hypertensive": "D006973"}.items():
        mention = counted.link(phrase)
        assert (mention.key, mention.how) == (f"Disease|MESH:{key}", "reworded")
        assert 0.9 <= mention.score < 1.0


def test_a_broader_concept_is_offered_but_not_taken(counted):
    mention = counted.link("severe stroke")
    assert mention.key is None
    assert mention.alternatives[0].key == "Disease|MESH:D020521"


def test_a_short_form_means_what_its_text_defines(counted):
    assert counted.link("CHD").ambiguous
    mention = counted.link("CHD", within=Surroundings.of("Coronary heart disease (CHD) kills."))
    assert (mention.key, mention.how, mention.ambiguous) == ("Disease|MESH:D003327", "abbreviation", False)


def test_a_short_form_that_its_text_defines_as_no_concept_is_in_doubt(counted):
    assert counted.link("p53", within=Surroundings.of("Pressure 53 (p53) in patients")).ambiguous


def test_a_gene_name_means_the_gene_of_the_texts_organism(counted):
    assert [m.key for m in counted.mentions("In mice and mouse cells p53 rose.")] == ["Gene|22059"]
    (human,) = counted.mentions("p53 rose in patients.")
    assert (human.key, human.ambiguous, len(human.alternatives)) == ("Gene|7157", False, 2)
    (either,) = counted.mentions("p53 rose in patients and in mice.")
    assert either.ambiguous


def test_the_gene_of_the_texts_organism_is_found_by_the_symbol_it_shares(counted):
    text = "Patients lack glycine decarboxylase (GLDC); in patients GLDC matters."
    described = counted.link("glycine decarboxylase", within=Surroundings.of(text))
    assert ([m.key for m in described.alternatives], described.how) == (["Gene|2731", "Gene|104174"], "synonym")
    short = counted.link("GLDC", within=Surroundings.of(text))
    assert (short.key, short.how, short.ambiguous) == ("Gene|2731", "abbreviation", False)
    mouse = counted.link("glycine decarboxylase", within=Surroundings.of("mice, mouse: glycine decarboxylase"))
    assert mouse.key == "Gene|104174"


OFFERED = {
    "malaria infection": ["Disease|MESH:D008288"],
    "memory and learning impairment": ["Disease|MESH:D008569"],
    "unheard-of disease": [],
}


@pytest.mark.parametrize("phrase", OFFERED)
def test_a_concept_named_in_front_of_a_class_word_is_offered_but_not_the_class(counted, phrase):
    mention = counted.link(phrase, type="Disease")
    assert mention.key is None
    assert [m.key for m in mention.alternatives][:1] == OFFERED[phrase]


def test_an_addiction_is_a_dependence(counted):
    assert counted.link("opiate addiction").key == "Disease|MESH:D009293"


def test_only_the_type_that_is_asked_for_counts(counted):
    assert counted.link("p53", type="Disease").key is None
    assert counted.link("stroke", type="Disease").key == "Disease|MESH:D020521"


def test_a_short_word_or_a_number_must_match_exactly(counted):
    assert counted.link("prostaglandin A2").key is None
    assert counted.link("prostaglandine D2").key == "Chemical|MESH:D015230"


def test_a_name_in_brackets_means_the_concept_before_it_in_the_whole_text(linker):
    found = [(m.text, m.key, m.ambiguous) for m in linker.mentions("Aspirin (ASA) is old. ASA treats pain.")]
    assert found[:3] == [(name, "Chemical|MESH:D001241", False) for name in ("Aspirin", "ASA", "ASA")]
    alone = linker.mentions("ASA treats pain.")[0]
    assert alone.ambiguous


TEXT = "Aspirin treats headache."
MATCH = Match("Chemical|MESH:D001241", "aspirin", "Chemical", 1.0, "aspirin", "name", 7)
KEPT = {TEXT: (Mention("Aspirin", 0, 7, MATCH.key, "aspirin", 1.0, (MATCH,), True, "name"),), "It helps.": ()}


def release(source, id, state="live"):
    return Release(source, id, f"{source}{id}", 1, 1, 0, state, "2026-01-01T00:00:00Z", 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "mentions.sqlite"


def test_cached_mentions_are_returned_only_for_the_same_names(path):
    MentionCache(path).put(KEPT, "names")
    assert MentionCache(path).get([*KEPT, "unknown"], "names") == KEPT
    assert MentionCache(path).get(KEPT, "other names") == {}


def test_a_missing_cache_returns_nothing(path):
    assert MentionCache(path).get(KEPT, "names") == {}
    assert not path.exists()


def test_changed_bytes_are_not_read(path):
    cache = MentionCache(path)
    cache.put(KEPT, "names")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE mentions SET mentions = ?", (b"x" * 40,))
    assert cache.get(KEPT, "names") == {}


@pytest.mark.parametrize("harm", [b"", b"no database at all" * 300])
def test_a_file_that_is_not_a_database_is_made_again(path, harm):
    path.parent.mkdir(parents=True)
    path.write_bytes(harm)
    cache = MentionCache(path)
    cache.get(KEPT, "names")
    cache.put(KEPT, "names")
    assert cache.get(KEPT, "names") == KEPT


def test_a_folder_that_cannot_be_written_is_not_an_error(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    cache = MentionCache(tmp_path / "cache" / "mentions.sqlite")
    cache.put(KEPT, "names")
    assert cache.get(KEPT, "names") == {}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ([release("concepts", "b"), release("pubtator3", "a")], True),
        ([release("pubtator3", "a"), release("concepts", "b"), release("concepts", "old", "past")], True),
        ([release("pubtator3", "a")], False),
        ([release("pubtator3", "a"), release("concepts", "c")], False),
    ],
)
def test_a_fingerprint_depends_on_the_live_releases_and_not_on_their_order(other, same):
    held = [release("pubtator3", "a"), release("concepts", "b")]
    assert (fingerprint(held) == fingerprint(other)) is same
    assert live(held, other)[0].startswith("concepts:")


@pytest.mark.parametrize("held", [[], [release("pubtator3", "a", "past")], [release("pubtator3", "a", "loading")]])
def test_without_a_settled_load_there_is_no_fingerprint(held):
    assert fingerprint(held) == ""
