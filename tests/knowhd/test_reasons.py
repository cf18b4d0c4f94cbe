"""Reasons as people read them: each case is a claim, its evidence, and the printed sentence."""

import pytest

from groundwork.records import Chain, Hop
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Evidence, Passage, edge_of, trail_of
from knowhd.rules.judge import RuleJudge
from knowhd.wording import say
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
         "2 articles report that Cisplatin causes nephrotoxicity (PMID 1, 2); none reports the opposite."),
        # The name has a small letter if an article writes it so.
        (f"{C} causes {N}.", [(1, "Every rat had {cisplatin|Chemical}-induced {nephrotoxicity|Disease}.")],
         "1 article reports that cisplatin causes nephrotoxicity (PMID 1); none reports the opposite."),
        (f"{C} causes {N}.", [(n, CAUSED) for n in (5, 4, 9, 3, 2, 1)],
         "6 articles report that Cisplatin causes nephrotoxicity (PMID 5, 4, 9 [retracted], 3, and 2 more); "
         "none reports the opposite."),
        (f"{C} does not cause {N}.", [(1, CAUSED)],
         "1 article reports the opposite of the claim (PMID 1); none supports the claim."),
        (f"{C} causes {N}.", [(1, CAUSED), (2, CURED)],
         "1 article reports that Cisplatin causes nephrotoxicity (PMID 1); "
         "1 article reports the opposite of the claim (PMID 2)."),
        (f"{C} causes {N}.", [(1, CAUSED), (1, f"{C} did not cause {N}.")],
         "1 article reports both the claim and its opposite (PMID 1)."),
        (f"{C} causes {N} by oxidative stress.", [(1, CAUSED)],
         '1 article reports that Cisplatin causes nephrotoxicity (PMID 1), but the sentence does not mention "oxidative stress".'),
        (f"{C} causes {N} in pregnant women with epilepsy.", [(1, CAUSED), (2, CAUSED)],
         "2 articles report that Cisplatin causes nephrotoxicity (PMID 1, 2), "
         'but none of the sentences mentions "pregnant women with epilepsy".'),
        # The words before the missing one are no sentence.
        (f"{C} causes {N} markers.", [(1, CAUSED)],
         "1 article supports the part of the claim about Cisplatin and nephrotoxicity (PMID 1), "
         'but the sentence does not mention "markers".'),
        # Each article lacks a different word.
        (f"{C} causes {N} in pregnant sailors.", [(1, f"{C} caused {N} in sailors."), (2, f"Pregnant: {CAUSED}")],
         "2 articles report that Cisplatin causes nephrotoxicity (PMID 1, 2), "
         'but none of the sentences mentions all of "pregnant sailors".'),
        # A part of the claim is quoted only if it is a statement of its own.
        (f"In pregnant sailors, {C} causes {N}.", [(1, CAUSED)],
         "1 article supports the part of the claim about Cisplatin and nephrotoxicity (PMID 1), "
         'but the sentence does not mention "pregnant sailors".'),
        (f"{C} causes {N} in sailors.", [(1, CURED)],
         "1 article contradicts the part of the claim about Cisplatin and nephrotoxicity (PMID 1), "
         'but the sentence does not mention "sailors".'),
        (f"{C} causes {N}.", [(1, f"{C} was studied with {N}."), (2, f"{N} was seen.")],
         "1 article names Cisplatin and nephrotoxicity in one sentence (PMID 1), but states neither the claim nor its opposite."),
        (f"{C} causes {N}.", [(2, f"{N} was seen.")],
         "No sentence was found in the literature that names both Cisplatin and nephrotoxicity."),
    ],
)  # fmt: skip
def test_a_reason_reports_the_evidence_of_the_literature(claim, sentences, told):
    assert reason(claim, "literature", sentences) == told


DRUG, DISEASE, GENE, OTHER = "Chemical|cisplatin", "Disease|nephrotoxicity", "Gene|pten", "Gene|tp53"


@pytest.mark.parametrize(
    ("claim", "edges", "told"),
    [
        (f"{C} causes {N}.", [(DRUG, "cause", DISEASE, (1, 2))],
         "In the graph, Cisplatin causes nephrotoxicity (2 articles), which supports the claim."),
        (f"{C} causes {N}.", [(DRUG, "cause", DISEASE, (1,)), (DRUG, "treat", DISEASE, (3,))],
         "In the graph, Cisplatin causes nephrotoxicity (1 article), which supports the claim; "
         "Cisplatin treats nephrotoxicity (1 article), which contradicts the claim."),
        (f"{C} causes {N} in sailors.", [(DRUG, "cause", DISEASE, (1,))],
         'In the graph, Cisplatin causes nephrotoxicity (1 article), but an edge says nothing about "sailors".'),
        (f"{C} causes {N}.", [(DRUG, "associate", DISEASE, (1,))],
         "In the graph, Cisplatin is associated with nephrotoxicity (1 article), "
         "which neither supports nor contradicts the claim."),
        # An edge from a disease to a gene: the disease is acted on. An edge between two genes shows no actor.
        (f"{N} increases {P}.", [(DISEASE, "cause", GENE, (1,))],
         "In the graph, PTEN causes nephrotoxicity (1 article), which neither supports nor contradicts the claim."),
        (f"{T} inhibits {P}.", [(GENE, "inhibit", OTHER, (1,))],
         "In the graph, TP53 inhibits PTEN or the reverse (1 article), which supports the claim."),
        (f"{C} causes {N}.", [], "The graph has no edge between Cisplatin and nephrotoxicity."),
    ],
)  # fmt: skip
def test_a_reason_reports_the_evidence_of_the_graph(claim, edges, told):
    assert reason(claim, "graph", edges=edges) == told


def test_a_reason_reports_the_evidence_of_a_chain():
    hops = Hop(DRUG, "inhibit", GENE, 2, (1, 2), 0.9), Hop(GENE, "negative_correlate", DISEASE, 1, (3,), 0.9)
    assert reason(f"{C} causes {N}.", "graph", chains=[hops]) == (
        "In the graph, a chain of 2 edges links Cisplatin and nephrotoxicity "
        '("inhibits", then "is negatively correlated with"; 1 article for the weakest edge), which supports the claim.'
    )


def test_the_reason_for_a_claim_without_a_relation_says_so():
    text, mentions = marked(f"{C} was studied with {N}.")
    keys = tuple(mention.key for mention in mentions)
    judged = RuleJudge().judge(Claim(text, text, (0, len(text)), keys, (), mentions), Evidence((), ()))
    assert judged["both"].reason == say("rules", "unread")
