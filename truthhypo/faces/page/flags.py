"""The flags of judgements as sentences for people."""

from collections.abc import Mapping

FLAGS: Mapping[str, str] = {
    "unlinked": "The claim names fewer than two concepts of the graph.",
    "negated": "The claim denies the relation.",
    "hedged": "The claim only says that the relation may hold.",
    "crowded": "The claim names so many things that some pairs were not compared.",
    "mixed": "There is evidence on both sides.",
    "inferred": "Only chains of relations support or contradict the claim. Perhaps no article states it.",
    "undirected": "The edges that decide do not show which of the two acts on the other.",
    "retracted": "An article behind the verdict was retracted.",
    "unanswered": "The judge got no reply. Judging again may succeed.",
    "unread": "The judge reads no relation in the claim, so it was not judged.",
    "partly": "The evidence states the relation, but not everything that the claim says.",
    "pronoun_unresolved": "The claim refers to something outside its sentence.",
    "ambiguous": "A name in the claim may mean another concept.",
    "cut": "The claim comes from a part of a very long sentence.",
    "conditional": "The claim holds under a condition that it states.",
    "untraced": "The model named no sentence for the claim, or most of the claim's long words are not in the text.",
    "added": "The claim has a concept or a number that the text does not contain.",
    "unconditional": "The claim lost a condition of its sentence.",
    "turned": "The claim denies what its sentence states, or states what its sentence denies.",
    "undivided": "The language model failed to split the text into claims.",
    "thin": "There is little evidence for or against the claim. Read the risk with care.",
    "paths_disagree": "The risk says the opposite of the direct edges or of the verdict.",
    "opposite_names": "A similarity on a path joins concepts with opposite names.",
    "ambiguous_subject": "The subject may mean another concept.",
    "ambiguous_object": "The object may mean another concept.",
    "failed": "The judge gave no usable reply about a claim, so that it was not judged.",
    "negation_ignored": "The inverted contradiction ignores the negation of the claim.",
}


def flag(name: str) -> str:
    """Return a flag as a sentence. An unknown flag is returned as its words."""
    return FLAGS.get(name, name.replace("_", " "))
