"""Reasons as people read them: each case is a claim, its evidence, and the printed sentence."""

import pytest

from groundwork.records import Chain, Hop
from knowhd.claims import Claim
from knowhd.pieces import Evidence, Passage, edge_of, say, trail_of
from knowhd.rules_judge import RuleJudge
from tests.groundwork.reading import marked

C, N, T, P = "{Cisplatin|Chemical}", "{nephrotoxicity|Disease}", "{TP53|Gene}", "{PTEN|Gene}"
CAUSED, CURED = f"{C} caused {N}.", f"{C} reduced {N}."


def reason(claim, source, sentences=(), edges=(), chains=()):
    """Return the reason of one source for a marked claim. Each sentence or edge comes with its article numbers."""
    text, mentions = marked(claim)
    passages = []
    for number, (pmid, sentence) in enumerate(sentences):
        said, named = marked(sentence)
        passages.append(Passage(f"pmid:{pmid}#s{number}", pmid, "", said, 1.0, pmid == 9, number, named))
    evidence = Evidence(
        tuple(
            edge_of(Hop(head, relation, tail, len(pmids), pmids, 0.9), set()) for head, relation, tail, pmids in edges
        ),
        tuple(passages),
        tuple(trail_of(Chain(0.8, hops), set()) for hops in chains),
    )
    keys = tuple(mention.key for mention in mentions)
    judged = RuleJudge().judge(Claim(text, text, (0, len(text)), keys, (), mentions), evidence)
    assert judged["both"].reason == f"{judged['graph'].reason} {judged['literature'].reason}"
    return judged[source].reason


@pytest.mark.parametrize(
    ("claim", "sentences", "told"),
    [
        (f"{C} causes {N}.", [(1, CAUSED), (2, CAUSED)],
         "2 articles state the claim (PMID 1, 2)."),
        (f"{C} causes {N}.", [(n, CAUSED) for n in (5, 4, 9, 3, 2, 1)],
         "6 articles state the claim (PMID 5, 4, 9 [retracted], 3, and 2 more)."),
        (f"{C} does not cause {N}.", [(1, CAUSED)],
         "1 article states the opposite of the claim (PMID 1); none states the claim."),
        (f"{C} causes {N}.", [(1, CAUSED), (2, CURED)],
         "1 article states the claim (PMID 1); 1 article states the opposite of the claim (PMID 2)."),
        (f"{C} causes {N}.", [(1, f"{C} did not cause {N}.")],
         "1 article states that there is no such relation (PMID 1); none states the claim."),
        (f"{C} causes {N}.", [(1, CAUSED), (1, f"{C} did not cause {N}.")],
         "1 article states both the claim and its opposite (PMID 1)."),
        ("{Statins|Chemical} may cause {nephrotoxicity|Disease} in sailors.", [(1, "{Statins|Chemical} caused {nephrotoxicity|Disease}.")],
         '1 article states the part of the claim about "Statins" and "nephrotoxicity" (PMID 1), '
         'but the sentence does not mention "sailors".'),
        (f"{C} causes {N} by oxidative stress in pregnant women with epilepsy.", [(1, CAUSED), (2, CAUSED)],
         '2 articles state the part of the claim about "Cisplatin" and "nephrotoxicity" (PMID 1, 2), '
         'but none of the sentences mentions "oxidative stress in pregnant women with epilepsy".'),
        # Each article lacks a different word.
        (f"{C} causes {N} in pregnant sailors.", [(1, f"{C} caused {N} in sailors."), (2, f"Pregnant: {CAUSED}")],
         '2 articles state the part of the claim about "Cisplatin" and "nephrotoxicity" (PMID 1, 2), '
         'but none of the sentences mentions all of "pregnant sailors".'),
        (f"{C} causes {N} in sailors.", [(1, CURED)],
         '1 article states the opposite of the part of the claim about "Cisplatin" and "nephrotoxicity" (PMID 1), '
         'but the sentence does not mention "sailors".'),
        (f"{C} causes {N}.", [(1, f"{C} was studied with {N}."), (2, f"{N} was seen.")],
         '1 article names "Cisplatin" and "nephrotoxicity" in one sentence (PMID 1), but states neither the claim nor its opposite.'),
        (f"{C} causes {N}.", [(2, f"{N} was seen.")],
         'No sentence was found in the literature that names both "Cisplatin" and "nephrotoxicity".'),
    ],
)  # fmt: skip
def test_a_reason_reports_the_evidence_of_the_literature(claim, sentences, told):
    assert reason(claim, "literature", sentences) == told


DRUG, DISEASE, GENE, OTHER = "Chemical|cisplatin", "Disease|nephrotoxicity", "Gene|pten", "Gene|tp53"


@pytest.mark.parametrize(
    ("claim", "edges", "told"),
    [
        (f"{C} causes {N}.", [(DRUG, "cause", DISEASE, (1, 2))],
         'The graph supports the claim by the edge "Cisplatin -cause- nephrotoxicity" (2 articles).'),
        (f"{C} causes {N}.", [(DRUG, "cause", DISEASE, (1,)), (DRUG, "treat", DISEASE, (3,)), (DRUG, "prevent", DISEASE, (4,))],
         'The graph supports the claim by the edge "Cisplatin -cause- nephrotoxicity" (1 article); it contradicts the claim '
         'by the edge "Cisplatin -treat- nephrotoxicity" (1 article) and the edge "Cisplatin -prevent- nephrotoxicity" (1 article).'),
        (f"{C} causes {N} in sailors.", [(DRUG, "cause", DISEASE, (1,))],
         'The graph has the edge "Cisplatin -cause- nephrotoxicity" (1 article), but an edge says nothing about "sailors".'),
        (f"{C} causes {N}.", [(DRUG, "associate", DISEASE, (1,))],
         'The graph has the edge "Cisplatin -associate- nephrotoxicity" (1 article), but neither supports nor contradicts the claim.'),
        # An edge from a disease to a gene: the disease is acted on. An edge between two genes shows no actor.
        (f"{N} increases {P}.", [(DISEASE, "cause", GENE, (1,))],
         'The graph has the edge "PTEN -cause- nephrotoxicity" (1 article), but neither supports nor contradicts the claim.'),
        (f"{T} inhibits {P}.", [(GENE, "inhibit", OTHER, (1,))],
         'The graph supports the claim by the edge "TP53 -inhibit- PTEN" or its reverse (1 article).'),
        # A name stands in quotation marks, so that the reason is a sentence whether the name is a noun or not.
        ("{Statins|Chemical} are {nephrotoxic|Disease}.", [("Chemical|statins", "cause", "Disease|nephrotoxic", (1,))],
         'The graph supports the claim by the edge "Statins -cause- nephrotoxic" (1 article).'),
        (f"{C} causes {N}.", [], 'The graph has no edge between "Cisplatin" and "nephrotoxicity".'),
    ],
)  # fmt: skip
def test_a_reason_reports_the_evidence_of_the_graph(claim, edges, told):
    assert reason(claim, "graph", edges=edges) == told


def test_a_reason_reports_the_evidence_of_a_chain():
    hops = Hop(DRUG, "inhibit", GENE, 2, (1, 2), 0.9), Hop(GENE, "negative_correlate", DISEASE, 1, (3,), 0.9)
    assert reason(f"{C} causes {N}.", "graph", chains=[hops]) == (
        'The graph supports the claim by a chain of 2 edges between "Cisplatin" and "nephrotoxicity" '
        '("inhibit", then "negative_correlate"; 1 article for the weakest edge).'
    )


def test_the_reason_for_a_claim_without_a_relation_says_so():
    text, mentions = marked(f"{C} was studied with {N}.")
    keys = tuple(mention.key for mention in mentions)
    judged = RuleJudge().judge(Claim(text, text, (0, len(text)), keys, (), mentions), Evidence((), ()))
    assert judged["both"].reason == say("rules", "unread")
