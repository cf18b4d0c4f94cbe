"""What a small web-trained parser gets wrong in biomedical prose, put right in a sentence's words."""

from dataclasses import replace

from fuzzygraph.triples.predicates import predicates
from fuzzygraph.triples.syntax import Word

_FINITE = frozenset({"VBZ", "VBP", "VBD"})
#: Before these a verb stands in its base form.
_AUXILIARIES = frozenset(
    {"do", "does", "did", "can", "could", "may", "might", "must", "shall", "should", "will", "would"}
)
#: What moves from "is" to the participle that turns out to be the verb.
_OF_THE_VERB = frozenset(
    {"nsubj", "csubj", "aux", "neg", "advmod", "obl", "conj", "cc", "punct", "mark", "advcl", "expl"}
)


def name_verbs(words: list[Word]) -> None:
    """What an auxiliary hangs from is a verb, also where it was taken for an adjective: "but did lower glucose"."""
    for aux in [word for word in words if word.dep == "aux" and word.text.lower() in _AUXILIARIES]:
        verb = words[aux.head]
        if not verb.is_verb and verb.index > aux.index:
            words[verb.index] = replace(verb, tag="VB", lemma=verb.text.lower())
    _name_governors(words)


def _name_governors(words: list[Word]) -> None:
    """What has a subject before it and an object after it is a verb: "aspirin and warfarin lower the level of"."""
    doing = {word.head for word in words if word.dep == "nsubj" and word.index < word.head}
    done = {word.head for word in words if word.dep == "dobj" and word.index > word.head}
    for verb in [words[index] for index in sorted(doing & done) if not words[index].is_verb]:
        if predicates().knows("verb", verb.text.lower()):
            words[verb.index] = replace(verb, tag="VBP", lemma=verb.text.lower())


def raise_participles(words: list[Word]) -> None:
    """A participle taken for an adjective is the verb of a passive: "secretion is impaired in diabetes"."""
    for verb in [word for word in words if word.tag == "VBN" and word.dep == "acomp"]:
        be = words[verb.head]
        if be.lemma != "be":
            continue
        head = verb.index if be.head == be.index else be.head
        words[verb.index] = replace(verb, dep=be.dep, head=head)
        words[be.index] = replace(be, dep="auxpass", head=verb.index)
        for word in [word for word in words if word.head == be.index and word.dep in _OF_THE_VERB]:
            dep = f"{word.dep}pass" if word.dep in {"nsubj", "csubj"} else word.dep
            words[word.index] = replace(word, dep=dep, head=verb.index)


def _part_objects(words: list[Word]) -> None:
    """After "but" stands a verb, also where it was taken for a noun's attribute: "but increased glucose"."""
    for but in [word for word in words[:-1] if word.text.lower() == "but" and words[word.head].is_verb]:
        verb = words[but.index + 1]
        if verb.tag in {"VBD", "VBN"} and verb.dep == "amod" and words[verb.head].dep == "conj":
            words[verb.head] = replace(words[verb.head], dep="dobj", head=verb.index)
            words[verb.index] = replace(verb, tag="VBD", dep="conj", head=but.head)


def lift_verbs(words: list[Word]) -> None:
    """A finite verb beside a noun or an infinitive belongs beside the finite verb above: "inhibits ACE and lowers"."""
    _part_objects(words)
    infinitives = {word.head for word in words if word.dep == "aux" and word.lemma == "to"}
    helped = {word.head for word in words if word.dep == "aux" and word.text.lower() in _AUXILIARIES}

    def lower(verb: Word) -> bool:
        return words[verb.head].is_noun or (verb.head in infinitives and words[verb.head].dep == "xcomp")

    finite = [word for word in words if word.dep == "conj" and (word.tag in _FINITE or word.index in helped)]
    for verb in [word for word in finite if lower(word)]:
        above, seen = words[verb.head], {verb.index}
        while above.index not in seen and (not above.is_verb or above.index in infinitives):
            seen.add(above.index)
            above = words[above.head]
        if above.index not in seen:
            words[verb.index] = replace(verb, head=above.index)


def raise_subjects(words: list[Word]) -> None:
    """A noun that hangs in front of a finite verb as if they were one compound is its subject."""
    for noun in [word for word in words if word.dep == "compound" and word.is_noun]:
        verb = words[noun.head]
        taken = any(word.head == verb.index and word.dep in {"nsubj", "nsubjpass"} for word in words)
        if verb.tag == "VBZ" and verb.index > noun.index and not taken:
            words[noun.index] = replace(noun, dep="nsubj")
