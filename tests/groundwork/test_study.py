"""The design and the organism of studies, from publication types, MeSH headings and Species annotations."""

import gzip
import re
from collections import Counter
from typing import get_args

import pytest

from groundwork.language import rows
from groundwork.records import Abstract, Design, Text
from groundwork.study import is_notice, sections, study_of, titled_as_notice
from ingest.documents.document import Deletion
from tests.ingest.reading import articles


def record(types="", mesh="", title="A title", abstract="", **more) -> Abstract:
    lists = (tuple(filter(None, terms.split("|"))) for terms in (types, mesh))
    return Abstract(1, Text(title, abstract, None, None, False, None, *lists), None, **more)


@pytest.mark.parametrize(
    ("types", "mesh", "design"),
    [
        ("Journal Article", "", None),
        ("Journal Article|Meta-Analysis|Systematic Review|Review", "Humans", "meta-analysis"),
        ("Network Meta-Analysis", "", "meta-analysis"),
        ("Review|Systematic Review", "", "systematic review"),
        ("Clinical Trial|Randomized Controlled Trial|Case Reports", "Humans|Follow-Up Studies", "randomised trial"),
        ("Clinical Trial, Phase II", "Humans|Prospective Studies", "clinical trial"),
        ("Case Reports|Review", "Humans|Follow-Up Studies", "case report"),
        ("Review", "Humans|Cohort Studies", "review"),
        ("Journal Article", "Humans|*Retrospective Studies/statistics & numerical data", "cohort"),
        ("Journal Article", "Case-Control Studies|Humans|Retrospective Studies", "case-control"),
        ("Observational Study", "Cross-Sectional Studies|Humans", "cross-sectional"),
        ("Journal Article", "Animals|Humans|Randomized Controlled Trials as Topic", None),
        ("Journal Article", "Animals|Mice|Cell Line", "animal"),
        ("Journal Article", "Animals|Disease Models, Animal|Humans|Mice", "animal"),
        ("Journal Article", "Animals|In Vitro Techniques|Rats", "in vitro"),
        ("Journal Article", "Cell Line, Tumor/*metabolism|Humans", "in vitro"),
        ("Preprint|Randomized Controlled Trial", "", "preprint"),
    ],
)
def test_the_design_follows_from_types_and_headings(types, mesh, design):
    assert study_of(record(types, mesh)).design == design


@pytest.mark.parametrize("notice", ["Erratum: A trial", "Comment on a trial"])
def test_a_notice_has_the_design_of_a_notice(notice):
    assert study_of(record("Randomized Controlled Trial", title=notice)).design == "notice"


@pytest.mark.parametrize(
    ("mesh", "text", "annotated", "organism"),
    [
        ("Humans|Male", "", "", "human"),
        ("Animals|Humans|Mice", "", "", "human"),
        ("Animals|Disease Models, Animal|Humans|Mice, Nude", "", "", "mouse"),
        ("Animals|*Mice/genetics", "", "", "mouse"),
        ("Animals|Mice|Rats, Wistar", "Rats were fed, not mice. The rats grew.", "", "rat"),
        ("Mouse mammary tumor virus", "", "", None),
        ("Animals|Ferrets", "", "", None),
        ("", "mice and patients", "", None),
        ("", "Mice, mice and patients", "Species|9606 Species|10090 Gene|672", "mouse"),
        ("", "", "Species|10116", "rat"),
        ("", "", "Species|4751", "taxon 4751"),
        ("Animals", "", "Species|10116", "rat"),
    ],
)
def test_the_organism_follows_from_headings_or_annotations(mesh, text, annotated, organism):
    assert study_of(record("", mesh, abstract=text, annotated=tuple(annotated.split()))).organism == organism


def test_annotated_words_count_mentions_of_any_organism():
    spoken = (("Candida", "Species|5476"), ("patients", "Species|9606"))
    study = study_of(
        record(
            abstract="Candida grows in patients. Candida.", annotated=("Species|5476", "Species|9606"), spoken=spoken
        )
    )
    assert (study.taxon, study.organism) == ("5476", "taxon 5476")


def test_every_design_can_be_derived():
    assert {row[0] for row in rows("groundwork", "designs.tsv")} | {"notice"} == set(get_args(Design))


def test_the_sample_of_2019(tmp_path, data):
    """The designs and organisms of NLM's sample, as they follow from the raw text of the file."""
    path = data / "pubmed_xml" / "pubmedsample_2019.xml.gz"
    parts = gzip.decompress(path.read_bytes()).decode("utf-8").split("<PubmedArticle>")[1:]
    read = [item for item in articles(tmp_path, path).items if not isinstance(item, Deletion)]
    designs, organisms = Counter[str | None](), Counter[str | None]()
    for part, item in zip(parts, read, strict=True):
        study = study_of(Abstract(item.pmid, item.text, None))
        designs[study.design] += 1
        organisms[study.organism] += 1
        assert len(item.text.mesh) == len(re.findall("<MeshHeading>", part))
        assert (study.design == "randomised trial") == (">Randomized Controlled Trial<" in part)
        if study.organism == "human":
            assert ">Humans</DescriptorName>" in part
    assert designs["randomised trial"] == 6
    assert organisms["human"] > 100
    assert organisms["rat"] > 5


NOTICES = """\
Retraction: A rabbit model for human cytomeglovirus--induced chorioretinal disease (J Infect Dis 1993;168:336-44).
Retraction notice to "Aspirin and infarction" [J Clin 12 (2001) 1-7].
RETRACTION NOTE: Aspirin lowers the risk of infarction.
Retraction Note to: Aspirin lowers the risk of infarction
Retraction—Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder in children.
Retraction of "Aspirin lowers the risk of infarction".
Retraction for Smith et al., Aspirin lowers the risk of infarction.
Retraction.
Notice of Retraction and Replacement: Aspirin in stroke.
Statement of Retraction: Aspirin in stroke
Partial retraction. Aspirin in stroke.
Removal notice to 'Aspirin in stroke' [Toxicol. 1 (2) 3].
Erratum: Aspirin causes bleeding.
Erratum to: Aspirin causes bleeding.
Erratum for Smith et al., Aspirin causes bleeding.
Erratum
Errata.
[Erratum: Aspirin causes bleeding].
Published Erratum: Aspirin causes bleeding.
Aspirin causes bleeding: Erratum.
Aspirin causes bleeding: a cohort study. Corrigendum
Corrigendum to "Aspirin causes bleeding" [Thromb. Res. 130 (2012) 1-5].
Corrigendum: Aspirin causes bleeding.
Addendum: Aspirin causes bleeding.
Addendum to Aspirin causes bleeding.
Correction: Aspirin causes bleeding.
Correction to: Aspirin causes bleeding.
Correction to “Aspirin causes bleeding”.
Correction to Aspirin Causes Bleeding.
Correction for Smith et al., Aspirin causes bleeding.
Correction to the article Aspirin causes bleeding.
Corrections.
Author Correction: Aspirin causes bleeding.
Publisher Correction: Aspirin causes bleeding.
Publisher's correction to: Aspirin causes bleeding.
Aspirin causes bleeding: Correction.
Expression of Concern: Aspirin causes bleeding.
Editorial Expression of Concern: Aspirin causes bleeding.
Comment on "Aspirin causes bleeding".
Comment on: Aspirin causes bleeding
Comments on aspirin and bleeding.
Comment.
Commentary: Aspirin causes bleeding.
Editorial Commentary: Aspirin causes bleeding.
Invited commentary on aspirin.
Re: Aspirin causes bleeding.
Reply to Smith and Jones.
Reply: Aspirin causes bleeding.
Aspirin causes bleeding. Reply.
Authors' reply: Aspirin causes bleeding.
The authors reply.
In reply.
In Response: aspirin and bleeding.
Response to: Aspirin causes bleeding.
Response to "Aspirin causes bleeding".
Response to the letter by Smith on aspirin.
Response to Smith et al.
"""

ARTICLES = """\
Correction of hyponatremia by tolvaptan.
Correction of anemia with epoetin alfa in chronic kidney disease.
[Correction of metabolic acidosis by bicarbonate].
Correction for multiple testing in genome-wide studies of asthma.
Correction for Bohr shift in sickle cell disease.
Correction to euvolemia before surgery reduces kidney injury.
Correction of "gummy smile" with botulinum toxin.
Corrective osteotomy for tibial deformity.
Rapid correction: a cause of osmotic demyelination.
Potentiator Ivacaftor Abrogates Pharmacological Correction of DeltaF508 CFTR in Cystic Fibrosis
Retraction of clots is impaired by abciximab.
Retraction pockets of the tympanic membrane: outcome in children.
Brain retraction injury: a review.
Lid retraction in Graves' disease.
RETRACTED: Aspirin causes bleeding.
Retracted: Aspirin causes bleeding.
[Retracted] Aspirin causes bleeding.
RETRACTED ARTICLE: Aspirin causes bleeding.
WITHDRAWN: Aspirin for stroke.
Withdrawal of aspirin causes rebound.
Withdrawal reactions after stopping paroxetine.
A comment on aspirin resistance and platelet function.
Response to imatinib in gastrointestinal stromal tumours.
Response of hypertension to captopril: a double-blind study.
Response to interferon: a meta-analysis in hepatitis C.
In response to injury, astrocytes express GFAP.
Reply speed in patients with Parkinson disease.
Re-exposure to heparin after heparin-induced thrombocytopenia.
Regulation of fibronectin receptor distribution [published erratum appears in J Cell Biol 1992 Jul;118(2):491]
Expression of concanavalin A receptors.
Expression of c-fos and concern about toxicity.
Commentaries of patients about side effects of statins.
Publisher and author characteristics of trials.
Author gender in trials of aspirin.
Errors in the dosing of methotrexate.
Statement of the problem: refractive error.
Notes on the pharmacology of aspirin.
Aspirin causes bleeding.
"""


@pytest.mark.parametrize("title", NOTICES.splitlines())
def test_a_notice_is_recognised_by_its_title(title):
    assert titled_as_notice(title)
    assert is_notice(Text(title, ""))


@pytest.mark.parametrize("title", [*ARTICLES.splitlines(), ""])
def test_an_article_is_no_notice(title):
    assert not titled_as_notice(title)


def test_publication_types_come_before_the_title():
    assert is_notice(Text("Complete airway obstruction.", "", notice=True))
    assert not is_notice(Text("Erratum: analysis of DNA elements that modulate myosin.", "It is.", notice=False))


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
