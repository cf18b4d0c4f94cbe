"""What a request may ask for at most, as the settings say."""

from groundwork.characters import broken
from groundwork.errors import InputError, TooLarge, UnfitText
from groundwork.settings import Settings
from truthhypo.service.requests import Request


def check(request: Request, settings: Settings) -> None:
    """See that a request is within the limits of a service.

    Raises:
        TooLarge: Its text has more than `serve_text` characters.
        UnfitText: Its text is empty.
        InputError: It asks for longer chains than `serve_hops`, or for more than `serve_k` documents or chains.
    """
    text = getattr(request, "text", None)
    if text is not None:
        check_text(text, settings)
    # `k` of a risk is a steepness.
    counts = {name: getattr(request, name, 0) for name in ("k", "limit", "paths")}
    most = {"hops": settings.serve_hops} | {
        name: settings.serve_k for name, value in counts.items() if isinstance(value, int)
    }
    for name, limit in most.items():
        if (value := getattr(request, name, 0)) > limit:
            setting = "serve_hops" if name == "hops" else "serve_k"
            raise InputError(
                f"{name} = {value}", f"at most {limit}", f"ask for less, or have the setting {setting} raised"
            )


def check_text(text: str, settings: Settings) -> None:
    """See that a text can be judged.

    Raises:
        TooLarge: It has more than `serve_text` characters.
        UnfitText: It is empty, or holds half of a surrogate pair.
    """
    if len(text) > settings.serve_text:
        raise TooLarge(f"a text of {len(text):,} characters", f"{settings.serve_text:,} characters", "serve_text")
    if not text.strip():
        raise UnfitText("an empty text", "a statement to judge", "give a text")
    if broken(text):
        raise UnfitText("a text with half of a surrogate pair", "whole characters", "write the character whole")
