"""Words by which a sentence says how one thing bears on another. Data, argued once; read by `reading`.

A cue's sign says whether there is more (+1) or less (-1) of what it acts on. Signs multiply along the way from one
concept to the other: "deficiency of A increases B" is -1 * +1. Words are lemmas; `sign_of` also knows them inflected.
"""

import re
from functools import lru_cache

from groundwork.polarity import RELATION_SIGNS, VERB_SIGNS, Sign


def words(text: str) -> frozenset[str]:
    """A table of words from a text that lists them."""
    return frozenset(text.split())


#: More of it.
RAISING = words("""
    accelerate activation activator agonist amplify augment boost causal cause drive elevate elevated elevation
    enhance enhancement enhancer excess facilitate foster gain high higher hyperactivation induce inducer induction
    intensify lead lengthen overexpression potentiate predispose produce prolong promote promoter propagate provoke
    raise result rise stimulate stimulation stimulator stimulus strengthen trigger upregulation up-regulate
    up-regulation contribute contributor culprit responsible precipitate
    """)

#: Less of it, or none.
LOWERING = words("""
    abate ablate ablation abolish abrogate absence absent alleviate alleviation ameliorate amelioration antagonist
    antagonise antagonize attenuate attenuation block blockade blocker combat counteract curb cure decline decrement
    deficiency deficient deficit deplete depletion depress diminish diminution down-regulate down-regulation
    downregulation drop eliminate elimination eradicate fall halt hamper hinder impede inactivate inactivation
    inhibit inhibition inhibitor inhibitory insufficiency interrupt kill knockdown knockout lack lessen limit loss
    low lower lowered mitigate mitigation neutralise neutralize prevent prevention protect protection protective
    quench reduction relief relieve removal remove repress repression repressor rescue restrain restrict reverse
    reversal rnai shield shorten shrink shrna silence silencing sirna slow stop suppress suppression suppressor weaken
    """)

#: Good for whatever is ill: less of a disease, more of anything else.
BETTERING = words("better beneficial benefit improve improvement optimise optimize restore restoration")

#: Bad for whatever is ill: more of a disease, less of anything else.
WORSENING = words(
    "aggravate aggravation compromise damage deteriorate deterioration exacerbate exacerbation harm "
    "harmful impair impairment worsen worse worsening"
)

#: Ways in which a thing that is no disease becomes less: "the clearance of glucose"; of a disease they are `OUTCOMES`.
REMOVING = words("breakdown catabolism clearance degradation destruction proteolysis")

#: What they are of is not there any more, or never was: the sign of what it does is turned.
ABSENT = words(
    "abstinence avoid avoidance avoiding cessation discontinuation discontinue off omission omit withdraw withdrawal "
    "withhold withholding"
)

#: Behind a hyphen they say that the thing is not there: "a sugar-free diet".
FREE = words("free less negative null")

#: Behind a hyphen they say only who is spoken of: "in tamoxifen-resistant cells".
APART = words("independent insensitive naive nonresponsive refractory resistant unresponsive")

#: Outcomes that are good: more of them is less of the disease they are an outcome of.
OUTCOMES = words("clearance control function healing outcome prognosis recovery remission survival")

#: Before "to" and "until" they say how long it is till something comes.
UNTIL = words("interval latency time")

#: To make it come later is to lessen it.
DELAYING = words("defer delay postpone")

#: What happens of a disease: more of them is more of it.
COURSE = words("""
    burden complication death development event fatality frequency incidence mortality number occurrence odds onset
    prevalence progression rate recurrence relapse risk severity spread symptom
    """)

#: Prepositions before a means: what follows them is a way to something, or what did it.
MEANS = words("by through via with without")

#: Prepositions of place: what follows them is where something happens, not what it happens to.
STAGING = words("among during in within")

#: Prepositions before what was there as well: what follows them does nothing where something else acts.
BESIDE = words("after before despite following on under with")

#: Remedies: they say "less of the disease" when nothing stronger is said.
REMEDYING = words("""
    treat treatment therapy therapeutic drug effective effectiveness efficacious efficacy indicate manage management
    medication prescribe preventive prophylactic prophylaxis remedy control superior useful vaccine
    vaccination correct
    """)

#: Being at risk: "more of the disease" when nothing stronger is said.
RISKING = words("adverse complication develop side risk risky susceptibility susceptible threat toxicity vulnerable")

#: Acts that nothing else bears out: what binds a protein need not phosphorylate it. Word: act.
ACTS: dict[str, str] = {
    word: act
    for act, listed in (
        ("acetylate", "acetylate acetylation"),
        ("cleave", "cleave cleavage"),
        ("deacetylate", "deacetylate deacetylation"),
        ("demethylate", "demethylate demethylation"),
        ("dephosphorylate", "dephosphorylate dephosphorylation"),
        ("deubiquitinate", "deubiquitinate deubiquitination"),
        ("encode", "encode"),
        ("metabolise", "metabolise metabolize metabolism substrate"),
        ("methylate", "methylate methylation"),
        ("need", "dispensable essential indispensable necessary need require requirement"),
        ("phosphorylate", "phosphorylate phosphorylation"),
        ("safe", "safe safety unsafe"),
        ("sumoylate", "sumoylate sumoylation"),
        ("transport", "transport transporter"),
        ("ubiquitinate", "ubiquitinate ubiquitination ubiquitylate ubiquitylation"),
    )
    for word in listed.split()
}
_ACTS = frozenset(ACTS)

#: There is something between the two, whichever way it goes.
RELATING = (
    words("""
    affect alter associate change associated association bind binding connect connection correlate correlation depend
    effect engage express expression impact implicate independent influence interact interaction interplay involve
    involvement link linkage mediate mediator modulate modulation mutate mutation participate pathway predict
    predictor predictive regulate regulation regulator relate relation relationship role target
    compare comparison differ difference unaffected unaltered unchanged combine combination coadminister cotreat convert
    conversion
    """)
    | _ACTS
)

#: The two go together; none need bring the other about.
GOING_TOGETHER = words(
    "associate associated association correlate correlation link linked linkage relate related relation relationship"
)

#: Nouns for who does such a thing.
DOERS = words("activator cause driver inducer inhibitor suppressor trigger")

#: Verbs that say who did it: what B does to A is not what A does to B. Verbs of amount ("increases") are left out.
CAUSING = words("""
    acetylate activate alleviate ameliorate antagonise antagonize block cause cleave contribute cure deacetylate
    demethylate dephosphorylate deubiquitinate drive elicit encode evoke generate induce inhibit initiate lead
    metabolise metabolize methylate phosphorylate precipitate prevent produce provoke relieve result stimulate
    sumoylate suppress target transport treat trigger ubiquitinate ubiquitylate
    """)

#: The words behind such verbs that stand before what they bring about, and before what brought it about.
LEADING_TO: dict[str, tuple[str, str]] = {
    "contribute": ("to", ""),
    "lead": ("to", ""),
    "result": ("in", "from"),
}

#: They say which way a relation goes: "a negative regulator", "inversely correlated".
DIRECTING: dict[str, Sign] = {
    "positive": 1,
    "positively": 1,
    "direct": 1,
    "negative": -1,
    "negatively": -1,
    "inverse": -1,
    "inversely": -1,
}

#: Nouns that stand for nothing in particular: no claim is about them.
VAGUE = words("""
    analysis association case data day disease effect evidence finding group individual level month number patient
    people person rate result risk role study treatment use week year time
    """)

#: Before a thing they say how much of it there is.
COUNTING: dict[str, Sign] = {"fewer": -1, "less": -1, "more": 1}

#: Words that deny.
DENYING = words(
    "cannot fail failure hardly lack little neither never no none not n't rarely unable "
    "unaffected unaltered unchanged unlikely unrelated unsafe without dispensable"
)

#: Words that leave it open; a sentence keeps its sign, and the verdict is flagged.
HEDGING = words(
    "appear could hypothetical likely may maybe might perhaps plausible possible possibly potential "
    "potentially presumably probably putative seem speculate suggest"
)

#: Sentences that ask or plan and so assert nothing.
OPEN = re.compile(
    r"""\?\s*$ |
    (?<!regardless\sof\s)(?<!irrespective\sof\s)\bwhether\b(?!\s+or\s+not\b|[^,;()]{1,80}\sor\snot\b) |
    \b(?:on|of|as\s+to|see|know\w*|ask\w*)\s+whether\s+or\s+not\b | ^whether\s+or\s+not\b[^,]*$ |
    \b(?:aim|aims|aimed|objective|purpose|goal)s?\b | \bhypothesi[sz] |
    \b(?:we|study|trial|review)\s+(?:\w+\s+)?(?:investigate|examine|evaluate|assess|explore|test|determine)\w*\b |
    \bto\s+(?:investigate|examine|evaluate|assess|explore|test|determine|clarify|elucidate)\b |
    \b(?:is|are|was|were|remains?|remained)\s+(?:\w+\s+)?
        (?:unclear|unknown|uncertain|controversial|debated|elusive|to\s+be\s+\w+|not\s+(?:known|clear|understood)) |
    \b(?:insufficient|limited|inconclusive|conflicting)\s+(?:evidence|data)\b""",
    re.IGNORECASE | re.VERBOSE,
)

#: What is better to have less of, where no concept type says so.
HARMFUL = re.compile(
    r"""\b(?:\w+(?:itis|emia|aemia|oma|osis|pathy|uria|algia|plegia|oxia|penia|trophy)|
    ache|adverse|anxiety|cancer|covid\S*|coronavirus|sars\S*|damage|deaths?|diabetes|diseases?|disorders?|fatalit\w+|fever|failure|
    headache|hypertension|hypotension|infections?|infarction|inflammation|injur\w+|lesions?|morbidity|mortality|neoplasms?|
    obesity|pain|pandemic|pneumonia|severity|stroke|symptoms?|syndromes?|thrombosis|toxicity|transmission|tumou?rs?|
    virus\w*|spread)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_PREFIX = re.compile(r"^(?:\w+-)+(?=\w)")
_ENDINGS = (("", ""), ("s", ""), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("es", ""), ("r", ""), ("ly", ""))

SIGNS: dict[str, Sign] = {
    **dict.fromkeys(RAISING, 1),
    **dict.fromkeys(LOWERING, -1),
    **{name: sign for name, sign in RELATION_SIGNS.items() if name.isalpha() and name not in REMEDYING},
    **VERB_SIGNS,
}


@lru_cache(maxsize=4096)
def base(word: str, table: frozenset[str]) -> str | None:
    """The entry of a table that a word is, as a lemma or with a common ending; None if it is none of them."""
    word = word.lower()
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending) + instead
            if stem in table and (not ending or len(stem) > 2):
                return stem
    return None


def act_of(word: str) -> str:
    """Which of `ACTS` a word in any common form names, empty for none."""
    found = base(word, _ACTS)
    return ACTS[found] if found else ""


_SIGNED = frozenset(SIGNS)


def sign_of(word: str) -> Sign:
    """+1 or -1 for a signed cue in any common form, 0 for any other word; "glucose-lowering" goes by its last part."""
    found = base(_PREFIX.sub("", word), _SIGNED) or base(word, _SIGNED)
    return SIGNS[found] if found else 0
