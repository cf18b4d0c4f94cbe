"""The mix of the real bulk file: which relations, between which types, with how much evidence.

The number of rows of each relation is NCBI's (39.2-40.4 million rows). The split of a relation over pairs of types
follows the rule by which PubTator names relations (a chemical with a negative correlation to a disease treats it). If
this rule leaves a choice, the split is our own. Rows with a variant are 2.8 %, as in the file.
"""

#: Entity types in canonical order, with their share of the concepts (our choice).
TYPE_SHARES = {"Chemical": 0.25, "Disease": 0.15, "Gene": 0.45, "Variant": 0.15}

#: (relation, type, type) -> rows, in thousands.
ROWS = {
    ("associate", "Chemical", "Chemical"): 500,
    ("associate", "Chemical", "Disease"): 4400,
    ("associate", "Chemical", "Gene"): 3500,
    ("associate", "Chemical", "Variant"): 50,
    ("associate", "Disease", "Gene"): 6500,
    ("associate", "Disease", "Variant"): 750,
    ("associate", "Gene", "Gene"): 3000,
    ("associate", "Variant", "Variant"): 100,
    ("treat", "Chemical", "Disease"): 7400,
    ("negative_correlate", "Chemical", "Chemical"): 900,
    ("negative_correlate", "Chemical", "Gene"): 2200,
    ("negative_correlate", "Gene", "Gene"): 995,
    ("negative_correlate", "Variant", "Variant"): 5,
    ("cause", "Chemical", "Disease"): 3650,
    ("cause", "Disease", "Variant"): 150,
    ("positive_correlate", "Chemical", "Chemical"): 500,
    ("positive_correlate", "Chemical", "Gene"): 1500,
    ("positive_correlate", "Gene", "Gene"): 1495,
    ("positive_correlate", "Variant", "Variant"): 5,
    ("stimulate", "Disease", "Gene"): 770,
    ("stimulate", "Chemical", "Variant"): 20,
    ("inhibit", "Disease", "Gene"): 610,
    ("inhibit", "Chemical", "Variant"): 20,
    ("cotreat", "Chemical", "Chemical"): 570,
    ("compare", "Chemical", "Chemical"): 540,
    ("interact", "Chemical", "Gene"): 70,
    ("interact", "Gene", "Gene"): 200,
    ("prevent", "Disease", "Variant"): 34,
    ("drug_interact", "Chemical", "Chemical"): 8,
}

RELATIONS = tuple(sorted({relation for relation, _, _ in ROWS}))

#: Mean number of rows of an article (40 million rows over 9.9 million PMIDs), and the largest PMID of a release.
ROWS_PER_ARTICLE = 4.05
LAST_PMID = 40_000_000

#: The number of PMIDs of an edge is floor(U^(-1/TAIL)), with mean 3.3 and median 1, and at most MOST_PMIDS.
TAIL = 1.36
MOST_PMIDS = 27_255

#: The concept at rank r of its type is drawn with weight (r + HEAD)^-SLOPE. The largest degree is in the thousands.
SLOPE = 0.7
HEAD = 5
