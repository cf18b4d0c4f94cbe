"""The records of every request: an id, a line in the log, and metrics. Texts are not recorded by default."""

import logging
import re
from asyncio import CancelledError
from http import HTTPMethod
from time import perf_counter
from typing import Any
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwork.errors import StoreBusy
from truthhypo.faces.judging_outcome import claims_of
from truthhypo.faces.rest.problem_response import response_to
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem

_log = logging.getLogger("truthhypo.serve")
_ID = re.compile(r"[\w.:-]{1,128}")


class Metrics:
    """The metrics of a service.

    Args:
        engine: The engine of the service. The metrics count the verdicts in its answers and the requests that failed
            because of a store. They also show how many of its judgements run or wait.
    """

    def __init__(self, engine: Engine) -> None:
        self.registry = CollectorRegistry()
        labels = ["method", "route"]
        held = self.registry
        self.requests = Counter("truthhypo_requests", "Requests answered.", [*labels, "status"], registry=held)
        self.seconds = Histogram("truthhypo_request_seconds", "Time from request to response.", labels, registry=held)
        self.verdicts = Counter(
            "truthhypo_verdicts", "Claims judged, by verdict on both sources.", ["verdict"], registry=held
        )
        self.store_errors = Counter(
            "truthhypo_store_errors", "Requests that failed because of a store.", ["error"], registry=held
        )
        judging = Gauge("truthhypo_judgements", "Judgements that run or wait.", registry=held)
        judging.set_function(lambda: engine.judging)
        engine.observers.append(self._count)

    def _count(self, outcome: dict[str, Any] | Problem) -> None:
        if isinstance(outcome, dict):
            for claim in claims_of(outcome):
                self.verdicts.labels(claim["verdicts"]["both"]).inc()
        elif outcome.status in (503, 504):
            self.store_errors.labels(outcome.title).inc()


class Journal:
    """Middleware that gives each request an id, logs and counts the request, and answers exceptions with a `Problem`.

    Args:
        app: The application.
        metrics: The metrics to update.
        texts: Whether to log the query string of each request too. Query strings may contain texts to judge.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, *, texts: bool) -> None:
        self._app, self._metrics, self._texts = app, metrics, texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, and record the outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        ident = given if _ID.fullmatch(given) else uuid4().hex
        status, begun = 499, perf_counter()

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = ident
            await send(message)

        try:
            await self._app(scope, receive, told)
        except CancelledError:  # the server stops, and the time for running requests is over
            if status == 499:
                stopping = StoreBusy("the service is stopping", "a running service", "ask again in a few seconds")
                await response_to(scope, Problem.of(stopping))(scope, receive, told)
        except Exception as error:
            _log.exception("request %s failed", ident)
            if status != 499:
                raise
            await response_to(scope, Problem.fault(error))(scope, receive, told)
        finally:
            self._note(scope, ident, status, perf_counter() - begun)

    def _note(self, scope: Scope, ident: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "/mcp" if scope["path"].startswith("/mcp") else "other")
        # A client can invent any number of methods, and the metrics keep each combination of labels for ever.
        method = scope["method"] if scope["method"] in HTTPMethod.__members__ else "other"
        self._metrics.requests.labels(method, route, status).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)
        line = {"id": ident, "method": scope["method"], "route": route, "status": status, "seconds": round(seconds, 4)}
        if self._texts:
            line["query"] = scope["query_string"].decode("latin-1")
        _log.info("request", extra={"fields": line})
