"""Open a `World` (stores and model) from settings and from arguments that override them."""

from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.model_files import require_model
from groundwork.options import checked_arguments, shown
from groundwork.settings import Settings, load
from truthhypo.judging import RULES
from truthhypo.world import World


@checked_arguments
def connect(
    settings: Settings | None = None,
    *,
    home: str | Path | None = None,
    graph: str | None = None,
    literature: str | None = None,
    model: str | None = None,
    judge: str | None = None,
    species: str | None = None,
    read_only: bool = True,
) -> World:
    """Open the stores and the model that the settings describe, and return them as a `World`.

    Args:
        settings: All settings. With None, they are read from truthhypo.toml and the environment.
        home: Folder for all that the program writes. This and the next five arguments override the settings.
        graph: Address of the graph, for instance `bolt://localhost:7687`; by default the embedded store under HOME.
        literature: Address of the literature, for instance `http://localhost:9200`; by default the store under HOME.
        model: Language model as PROVIDER:NAME, or `rules`.
        judge: Judge of claims: `rules`, `nli:NAME`, `minicheck:NAME` or `medv1:NAME`; by default the language
            model.
        species: Organism whose genes a symbol means, such as `mouse` or `10090`; by default human, unless a text names
            another organism.
        read_only: Whether the stores are opened for reading only. Use False to load data.

    Raises:
        InputError: A value has the wrong type or is out of range, the name of a model or judge has an
            unknown form, a provider is not installed, or a local model has no files.
        ModelUnreachable: A local model is neither on this machine nor on the model hub.

    Example:
        >>> with truthhypo.connect(model="rules") as world:
        ...     world.risk("Metformin treats type 2 diabetes mellitus.").sentences[0].status
        'measured'
    """
    base = _values(settings)
    named = {"home": home, "graph": graph, "literature": literature, "model": model, "judge": judge, "species": species}
    given = {name: value for name, value in named.items() if value is not None}
    held = load({**base, **given})[0]
    _check_models(held)
    return World(held, read_only=read_only)


def _check_models(held: Settings) -> None:
    """Check the names of model and judge, and that the files of local ones are there, before a text is judged."""
    if held.model != RULES:
        from groundwork import llm

        llm.checked_name(held.model)
    if held.judge:
        from knowhd import judges

        judges.check_name(held.judge)
    for name in (held.model, held.judge):
        require_model(name)


def _values(settings: object) -> dict[str, Any]:
    """Return the values of the settings; {} for None. Raises InputError if `settings` is of another type."""
    if settings is None:
        return {}
    if not isinstance(settings, Settings):
        wanted = "truthhypo.Settings, or keywords such as home, graph, literature and model"
        raise InputError(f"connect({shown(settings)})", wanted, f"write for instance connect(home={shown(settings)})")
    return settings.model_dump()
