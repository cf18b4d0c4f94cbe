"""All errors of the program. Each error says what was seen, what was expected and how to fix it.

    TruthHypoError                 exit code
    ├── InputError                 2   bad usage or bad input, which the caller can correct
    │   ├── UnfitText              2   a text that cannot be judged: empty, too long, or not valid Unicode
    │   ├── UnknownConcept         2   a key or name that is not in the graph; the message names similar ones
    │   ├── UnknownArticle         2   a PMID that the literature store does not contain
    │   ├── UnknownJob             2   the id of a job that does not exist or has expired
    │   ├── TooLarge               2   a request above a size limit; the message names the setting
    │   ├── TooManyClaims          2   a text with more claims than the service allows; the message names the limit
    │   └── QueryRefused           2   Cypher with a clause that is not allowed in look-ups
    ├── Refused                    1   the result needs a person's attention
    │   └── TooManyRejects         1   more rejected rows than --max-rejects; nothing was changed
    ├── Overloaded                 3   the service has too many requests; the message says when to try again
    ├── StoreError                 3   a graph or literature store failed
    │   ├── StoreUnreachable       3   the store is missing, still starting, or refuses the connection
    │   ├── StoreBusy              3   another process or another load uses the store
    │   │   └── DatabaseDrawing    3   the database for Cypher queries is being drawn; the message says how long
    │   ├── SizeLimit              3   a query above its memory limit, or an answer above its size limit
    │   ├── DamagedStore           3   a file of the store is missing or was changed by another program
    │   └── TimeLimit              3   a store ran past its time limit; the message names the setting
    │       └── ModelTooSlow       3   a language model ran past its time limit; also a ModelError
    ├── SourceUnreachable          3   a server of release files is unreachable, refuses, or breaks off
    └── ModelError                 3   a language model or embedder failed
        ├── ModelUnreachable       3   the model is unreachable or refuses the connection
        │   └── ModelFaltered      3   one call failed: the model is overloaded, failed, or broke off
        └── ReplyError             3   a reply does not have the requested shape, even after one repair round
            ├── CallFailed         3   no reply to this call, although the model answers other calls
            └── BudgetSpent        1   the call was not sent because the token or cost budget is spent

Errors of drivers (neo4j, elasticsearch, openai, duckdb ...) are converted to these errors where the driver is called,
so callers of an adapter never see a driver's error. The functions at the end turn errors of libraries into messages,
and keep secrets out of logs, pages, errors and run folders.
"""

import re
from collections.abc import Iterable, Mapping
from os import environ
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError


class TruthHypoError(Exception):
    """Base class of every error that this program raises on purpose.

    Args:
        seen: What was seen, with file and line if there is one.
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
            parts.append(f"Expected: {self.wanted}")
        if self.remedy:
            parts.append(f"To fix it: {self.remedy}")
        from groundwork.records.base import printable  # imports this module

        return printable("\n".join(parts))


class InputError(TruthHypoError):
    """Bad usage or bad input, which the caller can correct."""

    exit_code = 2


class UnfitText(InputError):
    """A text that cannot be judged: it is empty, too long, or not valid Unicode."""


class UnknownConcept(InputError):
    """A concept key or name that the graph does not contain.

    Args:
        text: The key or name as given.
        nearest: Concepts with similar names, best first, each as one text of key and name.
        organism: The organism that the user chose for genes; empty for none.
    """

    def __init__(self, text: str, nearest: tuple[str, ...] = (), organism: str = "") -> None:
        near = f"the nearest are: {', '.join(nearest)}" if nearest else "it has no similar name either"
        super().__init__(
            f"the graph has no concept {text!r}{organism and f' of the organism {organism}'}; {near}",
            "a key such as 'Chemical|MESH:D008687', or a name that the graph knows",
            "look up the concept: truthhypo graph find TEXT, or world.graph.find(TEXT) in Python",
        )
        self.text = text
        self.nearest = nearest


class UnknownArticle(InputError):
    """A PMID that the literature store does not contain.

    Args:
        pmid: The PMID.
    """

    def __init__(self, pmid: int) -> None:
        super().__init__(
            f"the literature store has no article with the PMID {pmid}",
            "the PMID of an article that was loaded",
            "search for the article: truthhypo literature search TEXT, or world.literature.search(TEXT) in Python",
        )


class UnknownJob(InputError):
    """The id of a job that does not exist or has expired.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"there is no job {id!r}", "the id of a job that has not expired", "submit the job again")


class TooLarge(InputError):
    """A request above a size limit.

    Args:
        seen: What was requested, with its size.
        limit: The limit, in words.
        setting: The name of the setting that holds the limit.
    """

    def __init__(self, seen: str, limit: str, setting: str) -> None:
        super().__init__(seen, f"at most {limit}", f"send smaller requests, or ask the operator to raise {setting}")


class TooManyClaims(InputError):
    """A text with more claims than the service judges at a time.

    Args:
        claims: Number of claims of the text.
        most: Maximum number of claims.
    """

    def __init__(self, claims: int, most: int) -> None:
        remedy = "judge the text in parts, or ask the operator to raise the setting serve_claims"
        super().__init__(f"a text with {claims:,} claims", f"at most {most:,} claims", remedy)


class QueryRefused(InputError):
    """Cypher with a clause that is not allowed in look-ups."""


class Refused(TruthHypoError):
    """The command ended or was refused, and a person must look at the result."""

    exit_code = 1


class TooManyRejects(Refused):
    """More rows were rejected than allowed; nothing was changed.

    Args:
        receipt: The JSON receipt of the load, which is still printed.
    """

    def __init__(self, seen: str, wanted: str, remedy: str, receipt: dict[str, object]) -> None:
        super().__init__(seen, wanted, remedy)
        self.receipt = receipt


class Overloaded(TruthHypoError):
    """The service has too many requests.

    Args:
        seen: The resource that is used up, for example the number of open requests.
        setting: The name of the setting that holds the limit.
        after: Number of seconds after which the client should try again.
    """

    exit_code = 3

    def __init__(self, seen: str, setting: str, after: int = 1) -> None:
        super().__init__(seen, "fewer requests at a time", f"try again after {after} s, or raise the setting {setting}")
        self.after = after


class StoreError(TruthHypoError):
    """A graph or literature store failed."""

    exit_code = 3


class StoreUnreachable(StoreError):
    """A store that is missing, still starting, or refuses the connection."""


class StoreBusy(StoreError):
    """A store that another process uses or another run is loading."""


class DatabaseDrawing(StoreBusy):
    """The database for free queries on an embedded graph is being drawn.

    Args:
        rows: The number of its rows.
        after: Seconds after which it may be ready.
    """

    def __init__(self, rows: int, after: int) -> None:
        super().__init__(
            f"the database for Cypher queries is being drawn from {rows:,} rows",
            "a database of the current state of the graph, which is drawn once after each load",
            f"ask again in {after} s; look-ups that are no Cypher queries are answered meanwhile",
        )
        self.after = after


class SizeLimit(StoreError):
    """A query needs more memory than allowed, or its answer is too large. The message names the setting."""


class DamagedStore(StoreError):
    """A file of a store or snapshot is missing, or another program changed it."""


class TimeLimit(StoreError):
    """A store or model that ran past its time limit.

    Args:
        what: The operation that took too long.
        seconds: The limit, in seconds.
        setting: The name of the setting that holds the limit.
        easier: A request that may succeed instead, in the caller's terms; empty if there is none.
    """

    def __init__(self, what: str, seconds: float, setting: str, easier: str = "") -> None:
        super().__init__(
            f"{what} took longer than its time limit of {seconds:g} s",
            f"an answer within {seconds:g} s",
            f"{easier}, or raise the setting {setting}" if easier else f"raise the setting {setting}",
        )
        self.seconds = seconds


class SourceUnreachable(TruthHypoError):
    """A server of release files is unreachable, refuses the request, or breaks off repeatedly."""

    exit_code = 3


class ModelError(TruthHypoError):
    """A language model or embedder failed."""

    exit_code = 3


class ModelUnreachable(ModelError):
    """A model that is unreachable or refuses the connection."""


class ModelFaltered(ModelUnreachable):
    """A model gave no usable answer to one call, although it may answer other calls.

    Args:
        again: Whether the same call may succeed later.
        after: Number of seconds that the server asks to wait first; None if it does not say.
        overload: Whether the server has too many calls.
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
    """A model took longer than its time limit.

    Args:
        name: The model.
        seconds: The limit, in seconds.
    """

    def __init__(self, name: str, seconds: float) -> None:
        easier = "check that the model's server is not overloaded, give a shorter text, use another model"
        super().__init__(f"a call of the model {name}", seconds, "model_timeout", easier)


class ReplyError(ModelError):
    """A reply does not have the requested shape, even after it was sent back to the model once (the repair round)."""


class CallFailed(ReplyError):
    """No reply to this call after all tries, although the model answers other calls: only this answer is missing."""


class BudgetSpent(ReplyError):
    """A call that was not sent because the token or cost budget is spent."""

    exit_code = 1


class Notice(UserWarning):
    """A warning for users, which a command shows as one line."""


class OtherOrganism(Notice):
    """A name means the gene of another organism than humans, although the name does not tell so."""


class NothingLoaded(Notice):
    """Nothing was ever loaded into a store under HOME, so look-ups find nothing in it."""


class NoticesUnknown(Notice):
    """The literature cannot be read, so errata, comments and other notices count as articles of edges."""


class AtlasMissing(Notice):
    """A graph has no up-to-date atlas, the arrays that make look-ups fast: it is being built, or cannot be saved."""


#: Type of pydantic's errors that `refusal` makes.
_REFUSED = "refused"
#: Longest value that a message repeats, in characters.
_LONGEST = 40


def refusal(error: InputError) -> "PydanticCustomError":
    """Return the error by which a validator of pydantic refuses a value, with what was seen and what was expected."""
    from pydantic_core import PydanticCustomError  # imported here because errors do not need it

    return PydanticCustomError(_REFUSED, "{wanted}", {"seen": error.seen, "wanted": error.wanted})


def fault_message(fault: Mapping[str, Any]) -> str:
    """Return the message of one of pydantic's errors, without the prefix that pydantic adds to a ValueError."""
    return str(fault["msg"]).removeprefix("Value error, ")


def fault_place(fault: Mapping[str, Any]) -> str:
    """Return where one of pydantic's errors is, with what was seen: the wrong value if it is short: `body.hops = 9`."""
    place, value = ".".join(map(str, fault["loc"])) or "the document", fault["input"]
    if fault["type"] == _REFUSED:
        return f"{place}: {fault['ctx']['seen']}"
    shown = ascii(value) if isinstance(value, str | int | float) else ""
    return f"{place} = {shown}" if 0 < len(shown) <= _LONGEST else place


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of the error if it has no message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


MASK = "********"

#: scheme://user:password@ up to the last @, even if the rest is not an address.
_CREDENTIALS = re.compile(r"^(\s*[\w+.-]+:/*[^:@/]*):.*@", re.DOTALL)

#: Names of environment variables in which programs keep secrets.
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")

#: Texts that look like keys: `sk-...`, `Bearer ...`.
_LOOKS = re.compile(r"\b(sk-|Bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)


def without_password(address: str) -> str:
    """Return the address with its password masked, however malformed the address is."""
    return _CREDENTIALS.sub(rf"\g<1>:{MASK}@", address)


def without_secrets(text: str, secrets: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> str:
    """Return a text from outside, e.g. a server's message, without the secrets that it may repeat.

    Args:
        text: The text.
        secrets: Secrets to hide; empty ones are ignored.
        environment: Environment variables; os.environ by default. Values of at least 8 characters are hidden as well if
            the name of the variable ends with KEY, TOKEN, SECRET or PASSWORD, or a plural of these words.
    """
    held = environ if environment is None else environment
    kept = [value for name, value in held.items() if _SECRET.search(name.upper()) and len(value) >= 8]
    for secret in sorted({*filter(None, secrets), *kept}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _LOOKS.sub(r"\1***", text)
