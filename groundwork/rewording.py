"""Rewording: other phrases that name the same thing, and broader ones, each of which is looked up as it stands.

A rule costs nothing where the phrase that it makes is no concept's name, so rules may be bold. What a rule makes is
surer or less sure (`Sureness`); how sure each kind is was measured (QUALITY.md).
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import product

#: The most phrases that one phrase is reworded as.
MOST = 80
#: Longer phrases are sentences rather than names.
LONGEST = 9

_WORD = re.compile(r"[^\s,]+")
#: Words that stand for one another in names of diseases and chemicals; the first is MeSH's.
_SAME: tuple[tuple[str, ...], ...] = (
    ("neoplasms", "neoplasm", "cancer", "cancers", "tumor", "tumors", "carcinoma", "malignancy", "malignancies"),
    ("kidney", "renal", "nephro"),
    ("liver", "hepatic"),
    ("heart", "cardiac", "myocardial"),
    ("lung", "pulmonary"),
    ("brain", "cerebral"),
    ("stomach", "gastric"),
    ("breast", "mammary"),
    ("skin", "cutaneous", "dermal"),
    ("bone", "skeletal", "osseous"),
    ("muscle", "muscular"),
    ("eye", "ocular"),
    ("ovarian", "ovary"),
    ("prostatic", "prostate"),
    ("uterine", "uterus", "endometrial"),
    ("pancreatic", "pancreas"),
    ("colonic", "colon"),
    ("colorectal", "bowel"),
    ("esophageal", "esophagus"),
    ("thyroid", "thyroidal"),
    ("vascular", "blood vessel"),
    ("nerve", "neural", "neuronal", "neurologic"),
    ("psychotic", "psychosis", "psychoses"),
    ("mental", "psychiatric"),
    ("diseases", "disease", "disorder", "disorders", "dysfunction", "damage", "injury", "injuries", "lesions", "lesion",
     "abnormalities", "abnormality", "impairment", "toxicity", "deficit", "deficits", "complications", "problems"),
    ("failure", "insufficiency"),
    ("hemorrhage", "bleeding", "hemorrhages"),
    ("pain", "ache", "aches"),
    ("thrombosis", "thrombus", "thrombotic"),
    ("infarction", "infarct", "infarcts"),
    ("seizures", "seizure", "convulsions", "convulsion", "fits"),
    ("arrest", "standstill"),
    ("low", "decreased", "reduced"),
    ("high", "increased", "elevated"),
    ("syndrome", "syndromes"),
    ("congenital", "hereditary", "familial", "inherited"),
    ("movement", "motor"),
    ("cognition", "cognitive"),
    ("memory", "amnestic"),
    ("dependence", "addiction", "abuse", "addicts"),
)  # fmt: skip
#: Endings of adjectives, and what the noun may end in.
_NOUNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tensive", ("tension",)),
    ("tensives", ("tension",)),
    ("toxic", ("toxicity",)),
    ("betic", ("betes",)),
    ("betics", ("betes",)),
    ("phrenic", ("phrenia",)),
    ("phrenics", ("phrenia",)),
    ("leptic", ("lepsy",)),
    ("leptics", ("lepsy",)),
    ("lytic", ("lysis",)),
    ("rrhagic", ("rrhage",)),
    ("rrhythmic", ("rrhythmia",)),
    ("chemic", ("chemia",)),
    ("emic", ("emia",)),
    ("xic", ("xia",)),
    ("esic", ("esia",)),
    ("genic", ("genesis", "genicity")),
    ("pathic", ("pathy",)),
    ("trophic", ("trophy",)),
    ("plegic", ("plegia",)),
    ("algic", ("algia",)),
    ("kinetic", ("kinesia", "kinesis")),
    ("kinetics", ("kinesia",)),
    ("static", ("stasis",)),
    ("stases", ("stasis",)),
    ("static", ("stases",)),
    ("otic", ("osis",)),
    ("itic", ("itis",)),
    ("ptic", ("psy", "psis")),
    ("nic", ("nia", "ne", "n")),
    ("tic", ("sis", "tis", "tia")),
    ("ic", ("ia", "y", "icity", "e", "")),
    ("ical", ("y", "ia")),
    ("al", ("", "a", "um")),
    ("ous", ("", "a", "ia")),
    ("ed", ("ion", "ing", "")),
    ("ive", ("ion", "e", "iveness")),
    ("ent", ("ence", "ency")),
    ("ant", ("ance", "ancy")),
    ("ese", ("esity",)),
    ("ious", ("y", "ity")),
    ("iac", ("ia",)),
)  # fmt: skip
#: Words that say more of a disease without making it another that has a name of its own.
_LOOSE_WORDS = """
acute chronic severe mild moderate recurrent transient persistent progressive early late onset sudden
spontaneous idiopathic primary secondary isolated sporadic familial inherited hereditary autosomal dominant
recessive x-linked drug-induced induced advanced metastatic invasive human clinical symptomatic asymptomatic
overt fatal nonfatal significant marked profound complete partial unilateral bilateral generalized diffuse focal
local systemic life-threatening end-stage refractory intractable malignant benign juvenile adult pediatric
childhood infantile postoperative perioperative experimental locomotor common rare typical atypical classic
classical reversible irreversible prolonged permanent excessive endogenous exogenous plasma serum total free
oral intravenous soluble recombinant native wild-type mutant active activated inactive phosphorylated
"""
_LOOSE = frozenset(_LOOSE_WORDS.split())
#: What a chemical comes as.
_SALTS_WORDS = """
hydrochloride hcl sulfate sulphate sodium potassium maleate tartrate citrate phosphate acetate bromide chloride
hydrobromide mesylate fumarate succinate calcium magnesium nitrate dihydrochloride besylate tosylate gluconate
monohydrate dihydrate hydrate lactate bitartrate pamoate iodide
"""
_SALTS = frozenset(_SALTS_WORDS.split())
#: What stands behind a name without being part of it.
_CLASSES_WORDS = """
gene genes protein proteins mrna mrnas receptor receptors kinase polypeptide allele alleles promoter locus
antigen enzyme enzymes ligand subunit transcription factor cdna peptide peptides isoform isoforms family members
levels concentrations concentration therapy treatment
disease diseases disorder disorders syndrome syndromes infection infections phenotype phenotypes activity symptoms
death
"""
_CLASSES = frozenset(_CLASSES_WORDS.split())
_ISOMER = re.compile(
    r"^(?:\(?[±+\-]+\)?|\(?\+/-\)?|\(?[RSDLrsdl](?:,[RSDLrsdl])?\)?|\(?[ED]?[dl]l\)?|dl)-(?=\w{3,})", re.I
)
_SPECIES = re.compile(r"^(?:human|mouse|murine|rat|bovine|porcine|rabbit|chicken|yeast|[hmr](?=[A-Z]))[ -]?")
_IONS = {
    "ca": "calcium", "na": "sodium", "k": "potassium", "mg": "magnesium", "zn": "zinc", "cu": "copper", "fe": "iron",
    "cl": "chloride", "li": "lithium", "mn": "manganese", "cd": "cadmium", "hg": "mercury", "pb": "lead",
    "al": "aluminum", "as": "arsenic", "cr": "chromium", "o2": "oxygen", "h2o2": "hydrogen peroxide",
    "no": "nitric oxide", "co": "carbon monoxide", "co2": "carbon dioxide", "se": "selenium", "au": "gold",
    "ag": "silver", "pt": "platinum", "ni": "nickel",
}  # fmt: skip
_ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}
#: Greek letters as a text without them writes them: "b-thalassemia".
_LETTERS = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta"}
_JOINED = re.compile(r"(.+?),? (?:and/or|and|or) (.+) (\S+)")
_CHARGED = re.compile(r"([A-Z][a-z]?)\s?(?:\(?\d?[+-]{1,2}\d?\)?|\([IV]+\))")


class Sureness(IntEnum):
    """How a phrase came about, the surest first."""

    WRITTEN = 0
    REORDERED = 1
    INFLECTED = 2
    SYNONYM = 3
    BROADER = 4


def rewordings(phrase: str) -> dict[str, Sureness]:
    """Other phrases for a phrase, surest first, each with how it came about; without the phrase itself.

    Nothing is promised about any of them being a name. At most `MOST`.
    """
    words = _WORD.findall(phrase)
    found: dict[str, Sureness] = {}
    if not words or len(words) > LONGEST:
        return found

    def add(phrases: Iterable[str], sureness: Sureness) -> None:
        for text in phrases:
            if len(found) < MOST and len(text) > 1 and text != phrase:
                found.setdefault(text, sureness)

    add(_reordered(phrase, words), Sureness.REORDERED)
    add(_inflected(words), Sureness.INFLECTED)
    add(_synonymous(words), Sureness.SYNONYM)
    for shorter in (*_parted(phrase), *_shortened(phrase, words)):
        add([shorter], Sureness.BROADER)
        inner = _WORD.findall(shorter)
        add(_reordered(shorter, inner), Sureness.BROADER)
        add(_inflected(inner), Sureness.BROADER)
        add(_synonymous(inner), Sureness.BROADER)
    return found


def _reordered(phrase: str, words: list[str]) -> Iterator[str]:
    """Turned as a library does it: "type 2 diabetes mellitus" is "diabetes mellitus, type 2", and back."""
    if ", " in phrase:
        front, _, back = phrase.partition(", ")
        yield f"{back} {front}"
    for cut in range(1, min(len(words), 5)):
        front, back = " ".join(words[:cut]), " ".join(words[cut:])
        yield f"{back}, {front}"
        yield f"{back} {front}"
    if 2 < len(words) <= 4:
        yield ", ".join(reversed(words))
    counted = [_ROMAN.get(word, word) for word in words]
    if counted != words:
        yield " ".join(counted)
        yield f"{' '.join(counted[2:])}, {' '.join(counted[:2])}"
    if " of " in phrase:
        front, _, back = phrase.partition(" of ")
        yield f"{back.removeprefix('the ')} {front}"
    yield from _plain(phrase)


def _plain(phrase: str) -> Iterator[str]:
    """Without signs: brackets, slashes, the charge of an ion, an isomer's letter, a Greek letter written as ours."""
    if "/" in phrase:
        yield phrase.replace("/", " ")
    if "(" in phrase and (bare := re.sub(r"\s*\([^()]*\)", "", phrase)).strip():
        yield bare.strip()
    ion = _CHARGED.fullmatch(phrase)
    element = ion[1] if ion else phrase
    if element[0].isupper() and element.lower() in _IONS:
        yield _IONS[element.lower()]
    if isomer := _ISOMER.match(phrase):
        yield phrase[isomer.end() :]
    if phrase[0] in _LETTERS and phrase[1:2] in {"-", "("}:
        yield _LETTERS[phrase[0]] + phrase[1:]


def _inflected(words: list[str]) -> Iterator[str]:
    """With the last word, or the only one, as another part of speech: "hypertensive" is hypertension."""
    front, last = words[:-1], words[-1]
    if len(last) < 5 or not last[1:].islower():
        return
    for ending, nouns in _NOUNS:
        if last.endswith(ending) and len(last) - len(ending) >= 2:
            yield from (" ".join([*front, last.removesuffix(ending) + noun]) for noun in nouns)


def _synonymous(words: list[str]) -> Iterator[str]:
    """With words that stand for one another, in either order."""
    if not 1 < len(words) <= 4:
        return
    choices = [_same(word) for word in words]
    if all(len(choice) == 1 for choice in choices):
        return
    for chosen in product(*choices):
        yield " ".join(chosen)
        yield f"{' '.join(chosen[1:])}, {chosen[0]}"


def _same(word: str) -> tuple[str, ...]:
    """The word, then those that stand for it, MeSH's first, a few."""
    group = next((group for group in _SAME if word.lower() in group), ())
    return tuple(dict.fromkeys((word, *group[:4])))


def _parted(phrase: str) -> Iterator[str]:
    """The things that share a head: "hearing and visual impairment" is hearing impairment and visual impairment."""
    if joined := _JOINED.fullmatch(phrase):
        front, back, head = joined.groups()
        yield from (f"{part} {head}" for part in [*front.split(", "), back] if part)


def _shortened(phrase: str, words: list[str]) -> Iterator[str]:
    """Without what only qualifies: a degree in front, a salt or a class behind, a species."""
    lower = [word.lower() for word in words]
    first = 0
    for place, word in enumerate(lower):
        if word in _LOOSE and len(words) > 1:
            yield " ".join(words[:place] + words[place + 1 :])
    while first < len(words) - 1 and lower[first] in _LOOSE:
        first += 1
        yield " ".join(words[first:])
    last = len(words)
    while last - 1 > first and lower[last - 1] in _SALTS | _CLASSES:
        last -= 1
        yield " ".join(words[first:last])
    yield from (" ".join(words[start:]) for start in range(first + 1, len(words)))
    yield from (" ".join(words[:end]) for end in range(last - 1, 0, -1))
    bare = _SPECIES.sub("", phrase)
    if bare != phrase and len(bare) > 2:
        yield bare
