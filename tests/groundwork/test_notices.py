"""Notices are recognised by publication type and by title; many articles have titles with the same words."""

import pytest

from groundwork.records import Text
from groundwork.study import is_notice, titled_as_notice

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
