"""The limits on requests, as the settings define them."""

from groundwork.errors import InputError, TooLarge, TooManyClaims, UnfitText
from groundwork.ports import Silent
from groundwork.readable import broken
from groundwork.settings import Settings
from truthhypo.service.requests import QueryRequest, Request

_REMEDY = "write the character in UTF-8, or remove its escape"


class ClaimLimit(Silent):
    """A progress listener that stops a judgement before the first claim if there are too many claims.

    Args:
        most: The largest number of claims that a text may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def begin(self, stage: str, total: int | None, unit: str) -> None:  # noqa: ARG002 - all stages have this limit
        """Check the number of claims to judge.

        Raises:
            TooManyClaims: There are too many claims.
        """
        if unit == "claims" and total is not None and total > self._most:
            raise TooManyClaims(total, self._most)


def check(request: Request, settings: Settings) -> None:
    """Check that a request is within the limits that the settings define.

    Raises:
        TooLarge: A text, a name or the words of a search have more than `serve_text` characters.
        UnfitText: A text is empty or contains an unpaired surrogate. Texts of a job may be empty.
        InputError: The request asks for longer chains than `serve_hops`, for more than `serve_k` documents, chains,
            paths or concepts, or for more than `row_limit` rows.
    """
    for field, name in {"text": "text", "claim": "claim", "evidence": "text"}.items():
        if (text := getattr(request, field, None)) is not None:
            check_text(text, settings, name)
    for number, text in enumerate(getattr(request, "texts", ()), 1):
        if broken(text):
            raise UnfitText(
                f"text {number} contains an unpaired surrogate (half of a UTF-16 pair)",
                "texts in valid Unicode",
                _REMEDY,
            )
    for name in ("q", "head", "tail", "key"):
        _check_names(name, getattr(request, name, ""), settings)
    rows = "row_limit" if isinstance(request, QueryRequest) else "serve_k"
    for name, setting in {"hops": "serve_hops", "k": "serve_k", "limit": rows, "paths": "serve_k"}.items():
        value, most = getattr(request, name, None), getattr(settings, setting)
        if isinstance(value, int) and value > most:  # the `k` of a risk request is a steepness, a float
            raise InputError(
                f"{name} = {value}",
                f"at most {most}",
                f"ask for less, or ask the operator to raise the setting {setting}",
            )


def offered_judges(settings: Settings) -> tuple[str, ...]:
    """Return the names of the judges that a request may choose, the service's default judge first."""
    return tuple(dict.fromkeys(filter(None, (settings.judge, *map(str.strip, settings.serve_judges.split(","))))))


def check_judge(name: str, settings: Settings) -> None:
    """Check that a request may choose a judge. A judge may be a model, and only the settings can allow models.

    Raises:
        InputError: The service does not offer this judge.
    """
    offered = offered_judges(settings)
    if name not in offered:
        raise InputError(
            f"the judge {name!r}",
            f"one of {', '.join(offered)}",
            "choose one, or ask the operator to add it to serve_judges",
        )


def check_text(text: str, settings: Settings, name: str = "text") -> None:
    """Check that a text can be judged. `name` says what the text is, for error messages.

    Raises:
        TooLarge: The text has more than `serve_text` characters.
        UnfitText: The text is empty or contains an unpaired surrogate.
    """
    if len(text) > settings.serve_text:
        raise TooLarge(f"a {name} of {len(text):,} characters", f"{settings.serve_text:,} characters", "serve_text")
    if not text.strip():
        raise UnfitText(f"the {name} is empty", "one or more sentences to judge", "write at least one sentence")
    if broken(text):
        raise UnfitText(
            "a text that contains an unpaired surrogate (half of a UTF-16 pair)", "a text in valid Unicode", _REMEDY
        )


def _check_names(field: str, given: str | list[str], settings: Settings) -> None:
    """Check that no name or search text in a field of a request is longer than a text may be."""
    for name in [given] if isinstance(given, str) else given:
        if len(name) > settings.serve_text:
            raise TooLarge(f"{field} of {len(name):,} characters", f"{settings.serve_text:,} characters", "serve_text")
