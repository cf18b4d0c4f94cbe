"""The service's errors as problem details (RFC 9457): what was seen, what was expected, and what to do next."""

from http import HTTPStatus

from pydantic import BaseModel, Field

from groundwork.errors import (
    DatabaseDrawing,
    InputError,
    Overloaded,
    SizeLimit,
    StoreBusy,
    TimeLimit,
    TooLarge,
    TruthHypoError,
    UnknownArticle,
    UnknownConcept,
    UnknownJob,
)
from truthhypo.service.database import UnknownResult
from truthhypo.service.marks import UnknownMark
from truthhypo.service.watching import UnknownStatement

#: HTTP status of each class of error; the first match counts. Other errors get 503 if their exit code is 3, else 500.
_STATUSES: tuple[tuple[type[TruthHypoError], int], ...] = (
    (UnknownConcept, 404),
    (UnknownArticle, 404),
    (UnknownJob, 404),
    (UnknownStatement, 404),
    (UnknownResult, 404),
    (UnknownMark, 404),
    (TooLarge, 413),
    (InputError, 422),
    (SizeLimit, 422),
    (Overloaded, 429),
    (TimeLimit, 504),
)
#: What a client can do about errors whose own remedy is a command of the command line.
_REMEDIES: dict[type[TruthHypoError], str] = {
    UnknownConcept: "look the concept up: GET /api/v1/concepts?q=NAME, or the tool find_concepts",
    UnknownArticle: "search for the article: GET /api/v1/literature?q=TEXT, or the tool search_literature",
}
#: Seconds after which a busy store may be free again.
_LATER = 5


class Problem(BaseModel):
    """An error as problem details.

    Attributes:
        type: Always about:blank; `status` and `title` tell the kind of error.
        title: The name of the error.
        status: The HTTP status.
        detail: What was seen, what was expected and what to do, as one text for people.
        seen: What was seen.
        wanted: What was expected.
        remedy: What to do.
        retry_after: Seconds after which to ask again; null if that does not help.
        drawing: Whether the database for Cypher queries is being drawn, which the request waits for.
        nearest: If the graph lacks the concept that the request names, the nearest concepts, each as `KEY (NAME)`.
    """

    type: str = "about:blank"
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    seen: str
    wanted: str = ""
    remedy: str = ""
    retry_after: int | None = None
    drawing: bool = False
    nearest: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: TruthHypoError) -> "Problem":
        """Return the problem for an error."""
        title, other = type(error).__name__, 503 if error.exit_code == 3 else 500
        status = next((number for kind, number in _STATUSES if isinstance(error, kind)), other)
        after = (
            error.after
            if isinstance(error, Overloaded | DatabaseDrawing)
            else _LATER
            if isinstance(error, StoreBusy)
            else None
        )
        nearest = error.nearest if isinstance(error, UnknownConcept) else ()
        if status < 500:
            remedy = next((remedy for kind, remedy in _REMEDIES.items() if isinstance(error, kind)), error.remedy)
            error = TruthHypoError(error.seen, error.wanted, remedy)
        told = {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}
        drawing = isinstance(error, DatabaseDrawing)
        return cls(
            title=title, status=status, detail=str(error), retry_after=after, nearest=nearest, drawing=drawing, **told
        )

    @classmethod
    def told(cls, status: int, seen: str, wanted: str = "", remedy: str = "") -> "Problem":
        """Return a problem with this HTTP status. Its title is the name of the status."""
        detail = str(TruthHypoError(seen, wanted, remedy))
        title = HTTPStatus(status).phrase
        return cls(title=title, status=status, detail=detail, seen=seen, wanted=wanted, remedy=remedy)

    @classmethod
    def fault(cls, error: BaseException) -> "Problem":
        """Return the problem for a bug in this program. The message of the exception goes only to the log."""
        seen = f"an internal error: {type(error).__name__}"
        return cls.told(500, seen, "no internal error", "report it with the request and the service's log")


class ProblemRaised(Exception):
    """An exception that carries a problem to the client."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem
