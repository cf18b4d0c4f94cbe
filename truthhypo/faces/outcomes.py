"""Classify the outcome of judging one text: judged, without a reply, or failed."""

from typing import Any

from groundwork.errors import ModelFaltered, ModelTooSlow, TruthHypoError, UnfitText

#: What to do about a call that got no reply.
_AGAIN = "run the same command again to repeat the call"


def unanswered(record: dict[str, Any]) -> dict[str, str] | None:
    """Return the first call without a reply in a judgement, as an `error`; None if all calls got a reply."""
    lost = (claim for claim in record.get("claims", ()) if "unanswered" in claim["flags"])
    return next(({"seen": claim["reason"], "wanted": "a reply", "remedy": _AGAIN} for claim in lost), None)


def model_failed(error: Exception) -> bool:
    """Return whether the model failed on a text. After several such texts in a row the model counts as unreachable."""
    return isinstance(error, ModelFaltered | ModelTooSlow)


def fault(error: Exception) -> dict[str, str]:
    """Return the `error` to record for a text whose judgement raised an exception.

    Raises:
        TruthHypoError: The same error, if it would affect every text: a bad option, a store or model not reachable.
    """
    if isinstance(error, TruthHypoError):
        if not (model_failed(error) or isinstance(error, UnfitText)):
            raise error
        return {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}
    seen = f"an internal error: {type(error).__name__}: {error}"
    remedy = "judge this text alone with --debug, and report the output"
    return {"seen": seen, "wanted": "no internal error", "remedy": remedy}


def wholly_unread(record: dict[str, Any]) -> bool:
    """Return whether a judgement has claims and the judge by rules read a relation in none of them."""
    claims = record.get("claims", ())
    return bool(claims) and all("unread" in claim["flags"] for claim in claims)


def judgeable(record: dict[str, Any]) -> bool:
    """Return whether the model gave a usable reply on any claim of a judgement. True if there are no claims."""
    claims = record.get("claims", ())
    return not claims or any(claim["verdicts"]["both"] != "failed" or "unread" in claim["flags"] for claim in claims)
