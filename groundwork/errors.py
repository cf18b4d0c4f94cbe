"""One error tree. An error says what was seen, what was wanted and how to mend it.

    TruthHypoError                 exit code
    ├── InputError                 2   bad usage or bad input: the caller can mend it
    │   ├── UnfitText              2   a text that cannot be judged: empty, too long, or no Unicode
    │   ├── UnknownConcept         2   a key or name that is not in the graph; names the nearest
    │   ├── UnknownArticle         2   a PMID that the literature does not hold
    │   ├── UnknownJob             2   the id of a job that is not there, or has expired
    │   ├── TooLarge               2   a request beyond a limit of size; names the setting
    │   ├── TooManyClaims          2   a text that makes more claims than a service judges at a time; names the setting
    │   └── QueryRefused           2   Cypher with a clause that look-ups do not allow
    ├── Refused                    1   done or refused, and a person must look
    │   └── TooManyRejects         1   more rejected rows than --max-rejects: nothing was changed
    ├── Overloaded                 3   a service that has too much to do; tells when to come again
    ├── StoreError                 3   a graph or literature store
    │   ├── StoreUnreachable       3   not there, half started, or refusing us
    │   ├── StoreBusy              3   in use by another process or another load
    │   ├── SizeLimit              3   a query over its limit of memory, or an answer over its limit of size
    │   ├── DamagedStore           3   a file of it is missing or was changed from outside
    │   └── TimeLimit              3   over its time limit; the limit is named
    │       └── ModelTooSlow       3   the same of a language model; a ModelError too
    ├── SourceUnreachable          3   a server of release files: not there, refusing us, or breaking off
    └── ModelError                 3   a language model or embedder
        ├── ModelUnreachable       3   not there or refusing us
        │   └── ModelFaltered      3   there, but without a usable answer to one call: overloaded, failing, broken off
        └── ReplyError             3   a reply that is not what was asked for, after one repair round
            ├── CallFailed         3   no reply to this call, from a model that answers others
            └── BudgetSpent        1   not asked: the budget of tokens or cost is spent

Errors of drivers (neo4j, elasticsearch, openai, duckdb ...) are mapped to these where the driver is called, so no
caller above an adapter ever sees one.
"""

from typing import ClassVar


class TruthHypoError(Exception):
    """Base of every error this program raises on purpose.

    Args:
        seen: What was met, with file and line where there is one.
        wanted: What was expected instead.
        remedy: What the reader can do about it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, seen: str, wanted: str = "", remedy: str = "") -> None:
        super().__init__(seen, wanted, remedy)
        self.seen = seen
        self.wanted = wanted
        self.remedy = remedy

    def __str__(self) -> str:
        parts = [self.seen]
        if self.wanted:
            parts.append(f"Wanted: {self.wanted}")
        if self.remedy:
            parts.append(f"To mend it: {self.remedy}")
        return "\n".join(parts)


class InputError(TruthHypoError):
    """Bad usage or bad input, which the caller can mend."""

    exit_code = 2


class UnfitText(InputError):
    """A text that cannot be judged: empty, too long, or not whole Unicode characters."""


class UnknownConcept(InputError):
    """A concept key or name that the graph does not hold.

    Args:
        text: The key or name as given.
        nearest: Keys (with names) that come closest, best first.
    """

    def __init__(self, text: str, nearest: tuple[str, ...] = ()) -> None:
        near = f"the nearest: {', '.join(nearest)}" if nearest else "nothing near it is there either"
        super().__init__(
            f"no concept {text!r} in the graph; {near}",
            "a key such as 'Chemical|MESH:D008687' or a name the graph knows",
            "look it up with: truthhypo graph find TEXT",
        )
        self.text = text
        self.nearest = nearest


class UnknownArticle(InputError):
    """A PMID that the literature does not hold.

    Args:
        pmid: The PMID.
    """

    def __init__(self, pmid: int) -> None:
        super().__init__(
            f"no article with the PMID {pmid} in the literature",
            "the PMID of an article that was loaded",
            "search for it with: truthhypo literature search TEXT",
        )


class UnknownJob(InputError):
    """The id of a job that is not there, or has expired.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"no job {id!r}", "the id of a job that has not expired", "send the job again")


class TooLarge(InputError):
    """A request beyond a limit of size.

    Args:
        seen: What was asked, with its size.
        limit: The limit, in words.
        setting: The name of the setting that holds the limit.
    """

    def __init__(self, seen: str, limit: str, setting: str) -> None:
        super().__init__(seen, f"at most {limit}", f"ask in parts, or have the setting {setting} raised")


class TooManyClaims(InputError):
    """A text that makes more claims than a service judges at a time.

    Args:
        claims: How many it makes.
        most: How many it may make.
    """

    def __init__(self, claims: int, most: int) -> None:
        remedy = "judge the text in parts, or have the setting serve_claims raised"
        super().__init__(f"a text that makes {claims:,} claims", f"at most {most:,} claims", remedy)


class QueryRefused(InputError):
    """Cypher that holds a clause which look-ups do not let through."""


class Refused(TruthHypoError):
    """Done or refused, and a person must look."""

    exit_code = 1


class TooManyRejects(Refused):
    """More rejected rows than allowed; nothing was changed.

    Args:
        receipt: The JSON receipt, which is still printed.
    """

    def __init__(self, seen: str, wanted: str, remedy: str, receipt: dict[str, object]) -> None:
        super().__init__(seen, wanted, remedy)
        self.receipt = receipt


class Overloaded(TruthHypoError):
    """A service that has too much to do.

    Args:
        seen: What there is too much of.
        setting: The name of the setting that holds the limit.
        after: Seconds after which it is worth asking again.
    """

    exit_code = 3

    def __init__(self, seen: str, setting: str, after: int = 1) -> None:
        super().__init__(seen, "fewer requests at a time", f"ask again after {after} s, or have {setting} raised")
        self.after = after


class StoreError(TruthHypoError):
    """A graph or literature store failed."""

    exit_code = 3


class StoreUnreachable(StoreError):
    """A store that is not there, half started, or refusing us."""


class StoreBusy(StoreError):
    """A store in use by another process, or being loaded by another run."""


class SizeLimit(StoreError):
    """A query that needs more memory than it may use, or whose answer is too large. The message names the setting."""


class DamagedStore(StoreError):
    """A store or snapshot with a file that is missing, or that something other than this program has changed."""


class TimeLimit(StoreError):
    """A store or model that ran past its time limit.

    Args:
        what: What ran.
        seconds: The limit, in seconds.
        setting: The name of the setting that holds the limit.
        easier: What can be asked for instead, in the words of who asked; empty if nothing can.
    """

    def __init__(self, what: str, seconds: float, setting: str, easier: str = "") -> None:
        super().__init__(
            f"{what} ran past its time limit of {seconds:g} s",
            f"an answer within {seconds:g} s",
            f"{easier}, or raise the setting {setting}" if easier else f"raise the setting {setting}",
        )
        self.seconds = seconds


class SourceUnreachable(TruthHypoError):
    """A server of release files that is not there, refuses us, or breaks off again and again."""

    exit_code = 3


class ModelError(TruthHypoError):
    """A language model or embedder failed."""

    exit_code = 3


class ModelUnreachable(ModelError):
    """A model that is not there or refuses us."""


class ModelFaltered(ModelUnreachable):
    """A model that gave no usable answer to one call, while it may well answer others.

    Args:
        again: The same call may succeed later.
        after: Seconds the server asks us to wait before that; None where it says nothing.
        overload: There are too many calls for it.
    """

    def __init__(
        self,
        seen: str,
        wanted: str = "",
        remedy: str = "",
        *,
        again: bool = False,
        after: float | None = None,
        overload: bool = False,
    ) -> None:
        super().__init__(seen, wanted, remedy)
        self.again = again
        self.after = after
        self.overload = overload


class ModelTooSlow(TimeLimit, ModelError):
    """A model that ran past its time limit.

    Args:
        name: The model.
        seconds: The limit, in seconds.
    """

    def __init__(self, name: str, seconds: float) -> None:
        easier = "see that its server is not overloaded, give a shorter text or another model"
        super().__init__(f"a call of the model {name}", seconds, "model_timeout", easier)


class ReplyError(ModelError):
    """A reply that is not what was asked for, after one repair round."""


class CallFailed(ReplyError):
    """No reply to this call, after all tries, from a model that answers others: one answer is missing, no more."""


class BudgetSpent(ReplyError):
    """A call that was not made, since the budget of tokens or cost is spent."""

    exit_code = 1


class Notice(UserWarning):
    """A warning for people, which a command shows as one line."""


class NothingLoaded(Notice):
    """Nothing was ever loaded into a store under HOME: look-ups find nothing in it."""


class AtlasMissing(Notice):
    """A graph had no atlas of its present state, so a look-up drew one; or the atlas could not be kept."""
