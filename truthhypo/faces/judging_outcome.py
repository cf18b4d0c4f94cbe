"""Classify the result of judging one text: judged, a call without a reply, or failed with an exception."""

from typing import Any

from groundwork.errors import ModelFaltered, ModelTooSlow, TruthHypoError, UnfitText

#: Advice for the user about a call that got no reply.
_AGAIN = "run the same command again to repeat the call"


def unanswered(record: dict[str, Any]) -> dict[str, str] | None:
    """Return an `error` about the first call of a judgement that got no reply, or None if all calls got a reply."""
    lost = (claim for claim in record.get("claims", ()) if "unanswered" in claim["flags"])
    return next(({"seen": claim["reason"], "wanted": "a reply", "remedy": _AGAIN} for claim in lost), None)


def model_failed(error: Exception) -> bool:
    """Return whether the model failed on a text. After several failures in a row the model counts as unreachable."""
    return isinstance(error, ModelFaltered | ModelTooSlow)


def fault(error: Exception) -> dict[str, str]:
    """Return the `error` to record for a text whose judgement raised an exception.

    Raises:
        TruthHypoError: The same error, if it would affect all texts, for instance a bad option or an unreachable store.
    """
    if isinstance(error, TruthHypoError):
        if not (model_failed(error) or isinstance(error, UnfitText)):
            raise error
        return {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}
    seen = f"an internal error: {type(error).__name__}: {error}"
    remedy = "judge this text alone with --debug, and report the output"
    return {"seen": seen, "wanted": "no internal error", "remedy": remedy}


def wholly_unread(record: dict[str, Any]) -> bool:
    """Return whether a judgement has claims but the rule-based judge found no relation in any of them."""
    claims = record.get("claims", ())
    return bool(claims) and all("unread" in claim["flags"] for claim in claims)


def judgeable(record: dict[str, Any]) -> bool:
    """Return False if all claims of a judgement failed for lack of a usable reply of the model, and True otherwise.

    A judgement without claims gives True.
    """
    claims = record.get("claims", ())
    return not claims or any(claim["verdicts"]["both"] != "failed" or "unread" in claim["flags"] for claim in claims)
