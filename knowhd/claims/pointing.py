"""A sentence whose words only point, with names for what they mean: each way of pointing is a rule (`meant`)."""

from collections.abc import Callable, Iterator

from knowhd.claims.grammar.masked import Masked
from knowhd.claims.meant.doings import doings
from knowhd.claims.meant.instead import Instead, said
from knowhd.claims.meant.kinds import kinds
from knowhd.claims.meant.likes import likes
from knowhd.claims.meant.nouns import nouns
from knowhd.claims.meant.pairs import pairs
from knowhd.claims.meant.pronouns import pronouns

#: Ways to point; of two that see the same words the first holds.
_RULES: tuple[Callable[[Masked, Masked | None], Iterator[Instead]], ...] = (
    kinds,
    pairs,
    likes,
    doings,
    nouns,
    pronouns,
)


def resolved(parsed: Masked, before: Masked | None) -> tuple[str, tuple[str, ...]]:
    """A sentence with names for what it points to, and the names; what may mean several things stays as it is.

    Args:
        parsed: The sentence.
        before: The sentence before it.
    """
    return said(parsed.text, (change for rule in _RULES for change in rule(parsed, before)))
