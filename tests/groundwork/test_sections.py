"""The labels of structured abstracts name sections, and the same words in a text name none."""

import re

import pytest

from groundwork.study import sections

LABELS = [
    ("BACKGROUND:", "background"),
    ("Introduction:", "background"),
    ("IMPORTANCE OF THE FIELD:", "background"),
    ("ETHNOPHARMACOLOGICAL RELEVANCE:", "background"),
    ("OBJECTIVES:", "objective"),
    ("AIM OF THE STUDY:", "objective"),
    ("BACKGROUND AND PURPOSE:", "objective"),
    ("BACKGROUND/AIMS:", "objective"),
    ("BACKGROUND & AIMS:", "objective"),
    ("HYPOTHESIS:", "objective"),
    ("OBJECTIVE", "objective"),
    ("Methods:", "methods"),
    ("Methods.", "methods"),
    ("CoNCLUSION:", "conclusions"),
    ("Materials and METHODS:", "methods"),
    ("Materials & methods:", "methods"),
    ("DESIGN, SETTING, AND PARTICIPANTS:", "methods"),
    ("MAIN OUTCOME MEASURE(S):", "methods"),
    ("PATIENT(S):", "methods"),
    ("DATA COLLECTION AND ANALYSIS:", "methods"),
    ("EXPERIMENTAL APPROACH:", "methods"),
    ("RESEARCH DESIGN AND METHODS", "methods"),
    ("RESULTS :", "results"),
    ("METHODS AND RESULTS:", "results"),
    ("METHODS-RESULTS:", "results"),
    ("METHODOLOGY/PRINCIPAL FINDINGS:", "results"),
    ("MEASUREMENTS AND MAIN RESULTS:", "results"),
    ("OUTCOME:", "results"),
    ("RESULTS", "results"),
    ("CONCLUSIONS/SIGNIFICANCE:", "conclusions"),
    ("REVIEWER'S CONCLUSIONS:", "conclusions"),
    ("AUTHORS’ CONCLUSIONS:", "conclusions"),
    ("WHAT IS NEW AND CONCLUSION:", "conclusions"),
    ("CLINICAL RELEVANCE:", "conclusions"),
    ("CASE REPORT:", None),
    ("TRIAL REGISTRATION:", None),
    ("FUNDING:", None),
]

#: Words that are no labels. The section before them goes on.
OTHERS = [
    "DNA: a marker.",
    "HDL: 35 mg/dl.",
    "AIDS Patients were left out.",
    "In conclusion, S. aureus was found.",
    "Results in rats: none died.",
    "Our results: none died.",
    "The results were as follows: none died.",
    "Patients were divided: ten got aspirin.",
    "The sites of the DNA ANALYSIS: liver and lung.",
    "Groups (CONTROL: 5 rats; DOX: 6 rats) were compared.",
    "Doses were AMI: 50 mg; CI: 3-4.",
    "Weight fell over the CBD: 36 g.",
    "There were no RESULTS in rats.",
]


def of_each(text):
    return sections(text, [match.start() for match in re.finditer(r"(?:^|(?<=\. ))\S", text)])


@pytest.mark.parametrize(("label", "section"), LABELS)
def test_a_label_names_the_section_of_the_sentences_after_it(label, section):
    assert of_each(f"{label} Aspirin was given. It helped.")[-2:] == [section, section]
    text = f"PURPOSE: We studied it. {label} Aspirin was given. It helped. RESULTS: It helped."
    assert of_each(text)[0] == "objective"
    assert of_each(text)[-3:] == [section, section, "results"]


@pytest.mark.parametrize("other", OTHERS)
def test_other_words_leave_the_section_as_it_is(other):
    assert set(of_each(f"Why. {other} It helped.")) == {None}
    assert set(of_each(f"BACKGROUND: Why. {other} It helped.")) == {"background"}


def test_a_label_is_found_if_the_full_stop_before_it_is_missing():
    text = "METHODS: We compared 763 controls RESULTS: The odds fell. It helped."
    assert of_each(text) == ["methods", "results"]
    assert sections(text, [text.index("RESULTS")]) == ["results"]


@pytest.mark.parametrize("text", ["", "Aspirin helped.", ": It helped.", "A " * 5000, "RESULTS " * 2000, "A, " * 5000])
def test_a_text_without_labels_has_no_sections(text):
    assert sections(text, [0]) == [None]
