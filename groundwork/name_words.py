"""Word lists for names of diseases, chemicals and genes (name_words.tsv): synonyms, and words that may be left out."""

from groundwork.language import rows

_ROWS = rows("groundwork", "name_words.tsv")


def _groups(kind: str) -> list[list[str]]:
    return [words.split("|") for name, words in _ROWS if name == kind]


def _words(kind: str) -> frozenset[str]:
    return frozenset(word for name, words in _ROWS if name == kind for word in words.split())


#: Groups of words that mean the same in names of diseases and chemicals; MeSH uses the first word of each group.
SAME = _groups("same")
#: Endings of adjectives, and possible endings of the corresponding nouns.
NOUNS = [(ending, nouns) for ending, *nouns in _groups("noun")]
#: Words that qualify a disease without making it another disease with its own name.
LOOSE = _words("loose")
#: Salts and other forms in which a chemical comes.
SALTS = _words("salt")
#: Words that follow a name without being part of it.
CLASSES = _words("class")
#: Names of ions and gases by their symbols in lower case.
IONS = dict(_groups("ion"))
#: Arabic numerals for Roman numerals, and the reverse.
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}
#: Greek letters by the Latin letters that texts write in their place: "b-thalassemia".
LETTERS = dict(_groups("letter"))
