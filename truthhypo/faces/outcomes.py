"""What became of judging one text: judged, left without a reply, or failed."""

from typing import Any

from groundwork.errors import ModelFaltered, ModelTooSlow, TruthHypoError, UnfitText

#: What is to be done about a call that got no reply.
_AGAIN = "run the same command again, which asks again"


def unanswered(record: dict[str, Any]) -> dict[str, str] | None:
    """What befell the first call of a judgement that got no reply, as an error on record; None where all got one."""
    lost = (claim for claim in record.get("claims", ()) if "unanswered" in claim["flags"])
    return next(({"seen": claim["reason"], "wanted": "a reply", "remedy": _AGAIN} for claim in lost), None)


def model_failed(error: Exception) -> bool:
    """Return whether an error says that the model failed on a text: on several in a row it is gone."""
    return isinstance(error, ModelFaltered | ModelTooSlow)


def fault(error: Exception) -> dict[str, str]:
    """Return the `error` on record for a text whose judging raised an exception.

    Raises:
        TruthHypoError: The same error, if it would hit every text: a bad option, a store or model out of reach.
    """
    if isinstance(error, TruthHypoError):
        if not (model_failed(error) or isinstance(error, UnfitText)):
            raise error
        return {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}
    seen = f"a fault of this program: {type(error).__name__}: {error}"
    return {"seen": seen, "wanted": "none", "remedy": "judge the text alone with --debug, and report the output"}


def wholly_unread(record: dict[str, Any]) -> bool:
    """Return whether a judgement has claims and the judge by rules could read a relation in none of them."""
    claims = record.get("claims", ())
    return bool(claims) and all("unread" in claim["flags"] for claim in claims)


def judgeable(record: dict[str, Any]) -> bool:
    """Return whether a model gave a usable reply on any claim of a judgement; true if there are no claims."""
    claims = record.get("claims", ())
    return not claims or any(claim["verdicts"]["both"] != "failed" or "unread" in claim["flags"] for claim in claims)
