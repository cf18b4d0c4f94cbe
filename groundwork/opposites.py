"""Opposites: words and affixes that reverse a statement. The lists are small and need no dictionary.

Spelling and vectors both treat opposites as similar (hypo-/hyperglycemia differ in two letters and have a cosine of
0.65), so polarity needs its own signal. WordNet (fuzzygraph.words) adds to these lists but cannot replace them, because
it has no antonym of "inhibit" or "upregulate". MEASURED.md says how many opposites the lists contain, and which words
they take for opposites wrongly.
"""

import re

#: Prefixes of two opposite words, and the minimum length of the rest of the word. The rest must be longer if only one
#: word has a prefix ("body" and "antibody" are not opposites), and longest for letters with which many words begin.
PREFIXES: tuple[tuple[str, str, int], ...] = (
    ("hyper", "hypo", 4),
    ("hyper", "a", 4),
    ("hyper", "de", 4),
    ("eu", "dys", 4),
    ("eu", "hyper", 4),
    ("eu", "hypo", 4),
    ("normo", "hyper", 4),
    ("normo", "hypo", 4),
    ("pro", "anti", 4),
    ("up", "down", 4),
    ("over", "under", 4),
    ("pre", "post", 4),
    ("macro", "micro", 4),
    ("intra", "extra", 4),
    ("brady", "tachy", 4),
    ("endo", "exo", 4),
    ("en", "ex", 5),
    ("eso", "exo", 4),
    ("in", "out", 4),
    ("ante", "retro", 4),
    ("antero", "retro", 4),
    ("homo", "hetero", 4),
    ("auto", "hetero", 4),
    ("auto", "allo", 4),
    ("", "non", 5),
    ("", "anti", 5),
    ("", "dys", 5),
    ("", "un", 5),
    ("", "dis", 5),
    ("", "in", 5),
    ("", "de", 5),
    ("", "a", 7),
    ("", "an", 7),
    ("", "im", 7),
    ("", "ir", 7),
)

#: Endings of two opposite words, after at least four letters.
SUFFIXES: tuple[tuple[str, str], ...] = (
    ("cytosis", "penia"),
    ("cytosis", "cytopenia"),
    ("philia", "penia"),
    ("philia", "phobia"),
    ("philic", "phobic"),
    ("dilator", "constrictor"),
    ("dilation", "constriction"),
    ("dilatation", "constriction"),
    ("mimetic", "lytic"),
    ("genic", "lytic"),
    ("genesis", "lysis"),
    ("positive", "negative"),
)

#: Opposite words (lemmas) in biomedical prose: each word of the first group is opposite to each word of the second.
SCALES: tuple[tuple[str, str], ...] = (
    (
        "increase raise elevate enhance augment high higher more greater",
        "decrease reduce lower diminish low less fewer",
    ),
    # Verbs of increase and of decrease. Verbs are left out if they say only that one thing follows from another (cause,
    # lead) or that something is missing (lack).
    (
        "amplify augment boost elevate enhance facilitate foster increase intensify potentiate promote raise rise "
        "stimulate strengthen upregulate",
        "abate attenuate block curb decline decrease deplete depress diminish downregulate drop fall halt hamper "
        "hinder impede inhibit lessen limit lower quench reduce repress restrain restrict shrink suppress weaken",
    ),
    ("amplification augmentation elevation enhancement upregulation", "decline depletion diminution downregulation"),
    ("activate", "inactivate"),
    ("activation", "inactivation"),
    ("enhancer", "silencer suppressor inhibitor"),
    ("trigger provoke precipitate induce", "prevent halt stop"),
    ("gain", "loss"),
    ("activate stimulate induce promote", "inhibit suppress block prevent"),
    ("activation stimulation induction excitation", "inhibition suppression"),
    ("activator inducer agonist stimulator", "inhibitor repressor"),
    ("agonist", "antagonist"),
    ("stimulant", "depressant"),
    ("excitatory", "inhibitory"),
    # Verbs of improvement and relief, and verbs of worsening.
    (
        "improve alleviate ameliorate relieve mitigate restore benefit",
        "worsen aggravate exacerbate impair deteriorate compromise harm damage",
    ),
    (
        "improvement alleviation amelioration relief mitigation restoration",
        "worsening aggravation exacerbation impairment deterioration",
    ),
    ("better", "worse"),
    ("superior", "inferior"),
    ("accelerate", "delay slow impede hinder hamper halt"),
    ("cause", "prevent treat"),
    ("protective beneficial", "harmful toxic"),
    ("success", "failure"),
    ("survival birth", "death"),
    ("acute", "chronic"),
    ("early", "late"),
    ("mild", "severe"),
    ("exacerbation", "remission"),
    ("congenital", "acquired"),
    ("benign", "malignant"),
    ("positive", "negative"),
    ("present", "absent"),
    ("presence", "absence"),
    ("sensitive susceptible", "resistant"),
    ("sensitivity susceptibility", "resistance"),
    ("active", "passive"),
    ("open", "closed"),
    ("long", "short"),
    ("large", "small"),
    ("hot heat", "cold"),
    ("left", "right"),
    ("male", "female"),
    ("maternal", "paternal"),
    ("systolic", "diastolic"),
    ("sympathetic", "parasympathetic"),
    ("dominant", "recessive"),
    ("afferent", "efferent"),
    ("inspiration inhalation inspiratory", "expiration exhalation expiratory"),
    ("influx", "efflux"),
    ("import", "export"),
    ("uptake", "release"),
    ("adhesion", "detachment"),
    ("synthesis", "degradation"),
    ("anabolism", "catabolism"),
    ("anabolic", "catabolic"),
    ("degeneration", "regeneration"),
    ("denaturation", "renaturation"),
    ("demineralization", "remineralization"),
    ("demyelination", "remyelination"),
    ("hyperoxia", "hypoxia"),
    ("polyuria", "oliguria anuria"),
    ("polyhydramnios", "oligohydramnios"),
    ("acidosis", "alkalosis"),
    ("constipation", "diarrhea"),
    ("obesity overweight", "thinness underweight"),
    ("mania", "depression"),
    ("spasticity rigidity", "flaccidity hypotonia"),
    ("myopia", "hyperopia"),
    ("lordosis", "kyphosis"),
    ("mydriasis", "miosis"),
    ("mydriatic", "miotic"),
)

_PAIRS = frozenset(frozenset((a, b)) for one, other in SCALES for a in one.split() for b in other.split())
_WORDS = frozenset(word for pair in _PAIRS for word in pair)
#: Endings that inflection adds to a lemma, and what the lemma has in their place.
_ENDINGS = (("s", ""), ("es", ""), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ied", "y"), ("ies", "y"))
_STEM = 4
#: Prefixes that may be written with a hyphen: pro-apoptotic.
_APART = re.compile(r"\b(hyper|hypo|pro|anti|up|down|over|under|pre|post|non|un|de)-(?=[^\W\d_]{3})")


def opposed(a: str, b: str) -> bool:
    """Return whether two words are opposites by the lists or by their affixes, ignoring case."""
    a, b = a.lower(), b.lower()
    if a == b:
        return False
    if frozenset((_lemma(a), _lemma(b))) in _PAIRS:
        return True
    # Opposites share the rest of the word. The comparison of four letters is cheap, and nearly all pairs fail it.
    if a[-_STEM:] == b[-_STEM:] and any(_begin(a, b, *pair) or _begin(b, a, *pair) for pair in PREFIXES):
        return True
    return a[:_STEM] == b[:_STEM] and any(_end(a, b, *pair) or _end(b, a, *pair) for pair in SUFFIXES)


def opposed_pairs(first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Return the opposite words of two texts, in order; a word that both texts contain is ignored."""
    texts = (_APART.sub(r"\1", text.lower()) for text in (first, second))
    left, right = (dict.fromkeys(re.findall(r"[^\W\d_]+", text)) for text in texts)
    return tuple((a, b) for a in left if a not in right for b in right if b not in left and opposed(a, b))


def _lemma(word: str) -> str:
    """Return the lemma if the word is an inflected form of a word in the lists, else the word itself."""
    if word in _WORDS:
        return word
    formed = (word.removesuffix(end) + instead for end, instead in _ENDINGS if word.endswith(end))
    return next((form for form in formed if form in _WORDS), word)


def _begin(a: str, b: str, x: str, y: str, least: int) -> bool:
    stem = a.removeprefix(x)
    return len(stem) >= least and a.startswith(x) and b.startswith(y) and stem == b.removeprefix(y)


def _end(a: str, b: str, x: str, y: str) -> bool:
    """Compare the words as singulars: plural nouns such as "dilators" lose their s first."""
    a, b = a.removesuffix("s") if x[-1] != "s" else a, b.removesuffix("s") if y[-1] != "s" else b
    stem = a.removesuffix(x)
    return len(stem) >= _STEM and a.endswith(x) and b.endswith(y) and stem == b.removesuffix(y)
