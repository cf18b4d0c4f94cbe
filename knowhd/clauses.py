"""Find the clauses of a sentence that make a statement of their own.

A dependent clause is separated if it makes a statement of its own, and completed with the words that it shares with
another clause. Other clauses, such as conditions, stay where they are. The functions at the end change the form of a
clause's verb.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from groundwork.reading.tree import Tree, Word, category
from knowhd.phrases import listed

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
HELPING = frozenset({"aux", "auxpass"})
_RELATIVE = frozenset({"WDT", "WP"})
#: Tags of finite verbs.
TENSED = frozenset({"VBZ", "VBP", "VBD"})
_CLOSING = re.compile(r"[,.;:!?)\]]")
_LEFT_OVER = re.compile(r"^(?:[\s,;:.]|[-\u2013\u2014](?=\s))+")
_DOUBLED = re.compile(r"\s*,(?=\s*[,.;])|,(?=\s*$)")
_ORDINARY = re.compile(r"[a-z]+(?:[\s,-]|$)")
VERBS = TENSED | {"VB", "VBN", "VBG", "MD"}
#: Dependency labels below which no clause is searched.
_CLOSED = frozenset({"advcl", "ccomp", "conj", "csubj", "pcomp", "relcl", "acl"})
_JOINTS = frozenset({"and", "but", "yet", ",", "or", "so"})
#: Categories of verbs after which "which" may refer to the action instead of the object.
_REMOVING = frozenset({"less", "worse", "absent", "remove", "remedy"})
#: Dependency labels of complements that a verb can share with a verb joined to it.
_OBJECTS = frozenset({"dobj", "prep", "agent", "acomp", "attr", "xcomp", "ccomp", "dative", "oprd"})
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_DO = {"VBZ": "does", "VBP": "do", "VB": "do", "VBD": "did"}
#: Endings of plural names: "statins", but not "virus", "stress" and "diabetes".
_PLURAL = re.compile(r"[a-z]{2}(?<![usi])(?<!ete)(?<!ie)s$")


@dataclass(frozen=True)
class Clause:
    """A clause of a parsed sentence. Another clause of the sentence may share its subject and its finite word.

    Args:
        tree: The sentence.
        head: The verb of the clause.
        subject: Head word of the subject; None if there is no subject.
        finite: The word that agrees with the subject, such as "does" in "does not lower"; None if there is none.
        words: Indexes of the words of the clause.
        told: Replacements by word index; an empty string removes the word.
    """

    tree: Tree
    head: Word
    subject: Word | None
    finite: Word | None
    words: frozenset[int]
    told: Mapping[int, str] = field(default_factory=dict)

    def without(self, indexes: Iterable[int]) -> "Clause":
        """Return the clause without some words."""
        return replace(self, words=self.words - frozenset(indexes))

    def tell(self, told: Mapping[int, str]) -> "Clause":
        """Return the clause with some words replaced."""
        return replace(self, told={**self.told, **told})

    def children(self, word: Word | None = None) -> list[Word]:
        """Return the words of the clause that `word`, by default the verb of the clause, governs in the parse."""
        return [child for child in self.tree.children(word or self.head) if child.index in self.words]

    def below(self, word: Word | None) -> list[Word]:
        """Return a word and all words of the clause below it in the parse, in order; an empty list for None."""
        found = subtree(self.tree, word) & self.words if word else ()
        return [self.tree.words[index] for index in sorted(found)]

    @property
    def text(self) -> str:
        """The clause as a sentence."""
        return sentence(self.phrase(self.tree.words[index] for index in self.words))

    def phrase(self, words: Iterable[Word]) -> str:
        """Return some words of the clause as text, in the order and with the spaces of the sentence."""
        written, last = "", -1
        for word in sorted(words, key=lambda word: word.index):
            if said := self.told.get(word.index, word.text):
                beside = last == word.index - 1 >= 0 and word.index not in self.told
                apart = self.tree.words[last].end < word.start if beside else not _CLOSING.match(said)
                written += " " + said if written and apart else said
                last = word.index
        return " ".join(written.split())


def sentence(words: str) -> str:
    """Return words as a sentence: with a full stop, and a capital letter unless a name such as mTOR is first."""
    words = _DOUBLED.sub("", _LEFT_OVER.sub("", words)).strip(" ,;:").rstrip(" .!") + "."
    return words[:1].upper() + words[1:] if _ORDINARY.match(words) else words


def subtree(tree: Tree, word: Word) -> frozenset[int]:
    """Return the indexes of a word and of all words below it, without leading punctuation and conjunctions."""
    found = sorted(each.index for each in tree.subtree(word))
    while len(found) > 1 and tree.words[found[0]].dep in {"punct", "cc"}:
        found.pop(0)
    return frozenset(found)


def _clause_of(tree: Tree, head: Word, words: frozenset[int]) -> Clause:
    """Return the clause of a verb, with the subject and the finite word that the parser attaches to the verb.

    If the parser labels no word as the subject of a finite verb, the last noun that depends on the verb and stands
    before it counts as the subject, as in "Aspirin downregulates B".
    """
    children = tree.children(head)
    nouns = [child for child in children if child.index < head.index and child.tag in NOUNS and head.tag in TENSED]
    subject = next((child for child in children if child.dep in SUBJECTS), nouns[-1] if nouns else None)
    helping = [child for child in children if child.dep in HELPING and child.index in words]
    finite = helping[0] if helping else head if head.tag in TENSED | {"MD", "VB"} else None
    return Clause(tree, head, subject, finite, words)


def clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence that make a statement of their own, in order."""
    if tree.root is None:
        return []
    whole = _clause_of(tree, tree.root, frozenset(range(len(tree.words))))
    return sorted(_parted(whole), key=lambda clause: clause.head.index)


def _parted(clause: Clause) -> Iterator[Clause]:
    """Yield a clause without the clauses inside it that make a statement of their own, and then those clauses."""
    tree = clause.tree
    apart = list(_apart(clause))
    if any(kind == "joined" for _, kind in apart):  # "both" belongs to both verbs: "A both lowers B and raises C"
        before = clause.head.index - 1
        clause = clause.without({before} if tree.words[before].text.lower() == "both" else ())
    own = clause.without(index for word, _ in apart for index in subtree(tree, word) | _joint(tree, word))
    joined = [word for word, kind in apart if kind == "joined" and _clause_of(tree, word, own.words).subject is None]
    yield _raised(_with_object(own, clause, joined[0]) if joined else own)
    for word, kind in apart:
        cut = _clause_of(tree, word, clause.words & subtree(tree, word))
        cut = cut.without(child.index for child in cut.children() if child.dep == "mark")
        cut = cut.without(_left_comma(cut, _joint(tree, word)))
        yield from _parted(_completed(cut, kind, clause, own))


def _left_comma(clause: Clause, joint: set[int]) -> set[int]:
    """Return the index of the comma beside the verb if the other comma of the pair is in `joint`; else an empty set.

    An example is ", and may even prevent, B". `joint` is the result of `_joint` for the clause.
    """
    words, children = clause.tree.words, clause.children()
    commas = {child.index for child in children if child.text == ","}
    verb = {clause.head.index, *(child.index for child in children if child.dep in HELPING | {"neg", "advmod"})}
    paired = any(index < min(clause.words) and words[index].text == "," for index in joint)
    beside = any({comma - 1, comma + 1} & verb for comma in commas)
    return commas if paired and beside and len(commas) == 1 else set()


def _apart(clause: Clause) -> Iterator[tuple[Word, str]]:
    """Yield (head word, kind) of each clause inside `clause` that makes a statement of its own; see `_kind`."""
    waiting = clause.children()
    while waiting:
        word = waiting.pop(0)
        if kind := _kind(clause, word):
            yield word, kind
        elif word.dep not in _CLOSED:
            waiting += clause.children(word)


def _kind(clause: Clause, word: Word) -> str:
    """Return how a word's clause depends on `clause` ("relative"), or "" if it makes no statement of its own."""
    tree, head = clause.tree, clause.head
    own = _clause_of(tree, word, clause.words)
    first = min(subtree(tree, word))
    comma = tree.words[first - 1].text == ","
    if word.dep == "appos":
        behind = first - 2 in subtree(tree, tree.words[word.head])
        return "apposition" if comma and behind and tree.words[first].text.lower() in {"a", "an", "the"} else ""
    if word.lemma == "do":
        return ""  # "whereas C does not": the action is in the other clause
    if word.dep == "relcl":
        asking = [each for each in own.below(word) if each.tag in _RELATIVE | {"WRB"}]
        # Not "which is why", and not "where", which the parser sometimes puts below the subject.
        pronoun = len(asking) == 1 and asking[0].tag in _RELATIVE and asking[0] in own.below(own.subject)
        removed = category(head.lemma) in _REMOVING and tree.words[word.head].dep == "dobj"
        return "relative" if comma and pronoun and not removed else ""
    if word.dep == "conj":
        verbal = word.tag in VERBS and word.head == head.index and (own.finite or own.subject is None)
        return "joined" if verbal and _joins(clause, word) else ""
    if word.tag == "VBG" and own.subject is None:
        hangs = word.dep in {"acl", "advcl"} and head.index < word.index
        plain = head.tag in TENSED and not any(child.dep in HELPING | {"neg"} for child in clause.children())
        return "participle" if comma and hangs and plain else ""
    if word.dep == "advcl" and word.head == head.index and own.subject and own.finite:
        return "adverbial" if _asserted(clause, word, set_off=comma or word.index < head.index) else ""
    return ""


def _asserted(clause: Clause, word: Word, *, set_off: bool) -> bool:
    """Return whether the sentence asserts the adverbial clause of a verb, such as "although A" or "because A".

    "Because A" is not asserted if the rest of the sentence states a condition, or if the rest denies something and the
    clause is not set off. A clause is set off (`set_off`) if it comes first or is separated by a comma.
    """
    children = (child for child in clause.children(word) if child.dep in {"mark", "advmod", "neg"})
    first = next(children, word).text.lower()
    if first not in listed("assertive") | (listed("assertive,") if set_off else frozenset()):
        return False
    rest = {clause.tree.words[index].text.lower() for index in clause.words - subtree(clause.tree, word)}
    denied = not set_off and rest & listed("denying")
    return first not in {"because", "since", "as"} or not (denied or rest & listed("condition"))


def _joins(clause: Clause, word: Word) -> bool:
    """Return whether a verb is joined to another verb by "and" or "but", or by "or" if one "not" denies both verbs."""
    said = {clause.tree.words[index].text.lower() for index in _joint(clause.tree, word)}
    denied = any(child.dep == "neg" for child in clause.children())
    either = "or" in said and (_clause_of(clause.tree, word, clause.words).subject or not denied)
    return bool(said) and not either


def _joint(tree: Tree, word: Word) -> set[int]:
    """Return the indexes of the conjunctions ("and") and commas that join a word's clause to the clause above it."""
    whole, governor = subtree(tree, word), tree.words[word.head]
    first, last = min(whole), max(whole)
    found = {each.index for each in tree.children(governor) if each.dep == "cc" and governor.index < each.index < first}
    while first and tree.words[first - 1].text.lower() in _JOINTS:
        first -= 1
        found.add(first)
    if found and last + 1 < len(tree.words) and tree.words[last + 1].text == ",":
        found.add(last + 1)
    return found


def _completed(own: Clause, kind: str, both: Clause, other: Clause) -> Clause:
    """Return a separated clause, completed with the words that it shared with the clause above it.

    Args:
        own: The separated clause.
        kind: How it depended on the clause above: joined, relative, apposition, participle or adverbial.
        both: The clause above, including the separated clause.
        other: The clause above, without the separated clause.
    """
    if kind == "joined":
        return _joined(both, other, own)
    if kind == "relative":
        return _relative(both, own)
    if kind == "apposition":
        return _apposition(both, own)
    return _participle(other, own) if kind == "participle" else own


def _joined(both: Clause, other: Clause, own: Clause) -> Clause:
    """Complete a coordinated verb with the words that it shares: "A lowers B and raises C".

    If the coordinated verb has its own subject, it shares only the adverbial clauses in front of the first verb.
    """
    children = other.children()
    if own.subject is not None:
        front = [subtree(own.tree, each) for each in children if each.dep == "advcl" and each.index < other.head.index]
        commas = (max(each) + 1 for each in front if own.tree.words[max(each) + 1].text == ",")
        return replace(own, words=own.words.union(*front, commas))
    helping = [child for child in children if child.dep in HELPING | {"neg"}]
    takes = _takes(own, helping)
    gone = set() if takes else {child.index for child in helping}
    if other.subject is not None:
        gone |= {each.index for each in children if each.dep == "advmod" and each.index > other.subject.index}
    shared = {index for index in other.words if index < other.head.index} - gone
    shared |= {other.head.index} if takes and other.head.lemma == "be" and own.head.tag != "VB" else set()
    finite = other.finite if other.finite and other.finite.index in shared else own.finite
    words = replace(own, words=own.words | shared, told=other.told, subject=other.subject, finite=finite)
    return _with_object(words, both, other.head)


def _takes(own: Clause, helping: list[Word]) -> bool:
    """Return whether the auxiliaries of the first verb also apply to a clause: "is lowered and raised"."""
    passive = any(child.dep == "auxpass" for child in helping) and not any(c.dep == "dobj" for c in own.children())
    if any(child.dep in HELPING for child in own.children()):
        return False
    if own.head.tag not in {"VB", "VBN", "VBG"}:
        return own.head.tag == "VBD" and passive  # "was amplified and subcloned"
    modal = any(child.tag == "MD" or child.lemma == "do" for child in helping)
    return own.head.tag != "VB" or modal or not helping


def _with_object(clause: Clause, both: Clause, other: Word) -> Clause:
    """Complete a clause whose verb has no object with the object of the verb joined to it: "A binds and inhibits B"."""
    behind = [child for child in both.children(clause.head) if child.dep not in {"conj", "cc", "punct"}]
    if any(child.index > clause.head.index for child in behind):
        return clause
    last = max(clause.head.index, other.index)
    after = (child for child in both.children(other) if child.index > last)
    # The parser often labels the name of a concept after a comma as an adverbial noun, although it is an object.
    objects = (each for each in after if each.dep in _OBJECTS or (each.dep == "npadvmod" and each.mention is not None))
    return replace(clause, words=clause.words.union(*(subtree(both.tree, child) for child in objects)))


def _relative(both: Clause, own: Clause) -> Clause:
    """Replace "which" by its noun: "B, which lowers C" becomes "B lowers C"."""
    noun = own.tree.words[own.head.head]
    pronoun = next(word for word in own.below(own.subject) if word.tag in _RELATIVE)
    named = both.phrase(word for word in both.below(noun) if word.index < min(own.words) - 1)
    told = own.tell({pronoun.index: named})
    return replace(told, subject=noun) if own.subject == pronoun else told


def _apposition(both: Clause, own: Clause) -> Clause:
    """Turn an apposition into a sentence: "A, a drug" becomes "A is a drug".

    A is the concept before the comma. If no concept is there, A is the noun on which "drug" depends in the parse.
    """
    comma = min(own.words) - 1
    before = own.tree.words[comma - 1]
    noun = before if before.mention is not None else own.tree.words[own.head.head]
    words = own.words | {comma, *(word.index for word in both.below(noun) if word.index < comma)}
    return replace(own, subject=noun, finite=own.head, words=words, told={comma: "are" if plural(noun) else "is"})


def _participle(other: Clause, own: Clause) -> Clause:
    """Turn a participle into a verb: "A lowers B, raising C" becomes "A raises C"."""
    verb = own.head
    said = verb.lemma if other.subject is not None and plural(other.subject) else third(verb.lemma)
    gone = {child.index for child in other.children() if child.dep == "advmod"}
    front = {index for index in other.words if index < other.head.index} - gone
    told = {**other.told, verb.index: said}
    return replace(own, subject=other.subject, finite=verb, words=own.words | front, told=told)


def plural(word: Word) -> bool:
    """Return whether a noun is plural."""
    if word.mention is not None:
        return _PLURAL.search(word.text) is not None
    return word.tag in {"NNS", "NNPS"} or word.text.lower() in {"we", "they", "these", "those"}


def third(verb: str) -> str:
    """Return a regular verb in the third person singular."""
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else "s")


def past(verb: str) -> str:
    """Return the past form of a regular verb."""
    stem = re.sub(r"(?<=[^aeiou])y$", "i", verb)
    return stem + ("d" if stem.endswith("e") else "ed")


def singular(clause: Clause) -> Clause:
    """Put the verb into the singular: "lower" becomes "lowers", "are risk factors" becomes "is a risk factor"."""
    verb = clause.finite
    if verb is None or verb.tag not in {"VBP", "VB", "VBD"}:
        return clause
    said = verb.text.lower()
    told = {verb.index: _SINGULAR.get(said) or (said if verb.tag == "VBD" else third(said))}
    for noun in clause.children():
        if noun.dep == "attr" and noun.tag == "NNS" and said in {"are", "were"}:
            told[noun.index] = noun.lemma
            own = [each for each in clause.children(noun) if each.index < noun.index]
            if not any(each.dep in {"det", "nummod", "poss"} for each in own):
                first = min([noun, *own], key=lambda each: each.index)
                words = told.get(first.index, first.text)
                told[first.index] = f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"
    return clause.tell(told)


def denied(clause: Clause, *, one: bool) -> Clause | None:
    """Negate the verb of a clause: "lowers" becomes "does not lower".

    If the subject is singular (`one`), a full verb in the present tense gets "does not", even if the sentence has its
    plural form.

    Returns:
        The negated clause, or None if it is already negated or has no finite verb.
    """
    verb = clause.finite
    if verb is None or any(child.dep == "neg" for child in clause.children()):
        return None
    if verb != clause.head or verb.lemma == "be":
        return clause.tell({verb.index: f"{clause.told.get(verb.index, verb.text)} not"})
    do = "does" if one and verb.tag != "VBD" else _DO[verb.tag]
    return clause.tell({verb.index: f"{do} not {verb.lemma}"})


def _raised(clause: Clause) -> Clause:
    """Rewrite "A is known to lower B" as "A lowers B"."""
    children = clause.children()
    verb = next((child for child in children if child.dep == "xcomp" and child.tag == "VB"), None)
    passive = any(child.dep == "auxpass" for child in children) and clause.head.lemma in listed("proving")
    if verb is None or verb.lemma == "be" or clause.subject is None or not passive:
        return clause
    if any(child.dep in {"neg", "cc"} or child.tag == "MD" for child in (*children, *clause.children(verb))):
        return clause
    gone = {child.index for child in children if child.dep in {"aux", "auxpass", "advmod"}}
    gone |= {clause.head.index, *(child.index for child in clause.children(verb) if child.tag == "TO")}
    told = {verb.index: verb.text if plural(clause.subject) else third(verb.text)}
    return replace(clause.without(gone).tell(told), head=verb, finite=verb)
