"""Draw the scores of chains."""

from typing import TYPE_CHECKING

from groundwork.path_picture import SIGN_COLOURS
from groundwork.plots import bars, offline
from groundwork.records.shortened import counted

if TYPE_CHECKING:
    from altair import LayerChart

    from groundwork.records.chains import Chain, Chains

#: Colour and symbol for each sign of a chain, as in pictures of paths. The sign is the product of the signs of the
#: relations (`Chain.sign`).
_KINDS = {
    "raises": (SIGN_COLOURS["plus"], "+"),
    "lowers": (SIGN_COLOURS["minus"], "−"),
    "without a sign": (SIGN_COLOURS["none"], "·"),
}


def chain_plot(chains: "Chains") -> "LayerChart":
    """Return a chart with one bar per listed chain, best first; see `Chains.plot`."""
    rows = [
        {
            "label": f"{number}. {' – '.join(chains.names.get(key, key) for key in _keys(chain))}",
            "text": "; ".join(f"{hop.relation} ({counted(hop.articles, 'article')})" for hop in chain.hops),
            "value": chain.score,
            "kind": _kind(chain),
        }
        for number, chain in enumerate(chains.chains, 1)
    ]
    ends = " and ".join(chains.names.get(key, key) for key in (chains.head, chains.tail))
    return offline(bars(rows, _KINDS, "score", f"Scores of the {len(rows)} best chains between {ends}"))


def _keys(chain: "Chain") -> list[str]:
    return [chain.hops[0].head, *(hop.tail for hop in chain.hops)]


def _kind(chain: "Chain") -> str:
    return {1: "raises", -1: "lowers", 0: "without a sign"}[chain.sign]
