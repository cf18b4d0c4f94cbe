"""The web application: routes, error responses, health checks, metrics, and checks of every request."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route, compile_path

from groundwork import inventory
from groundwork.errors import TruthHypoError, fault_message, fault_place, without_password
from groundwork.language import english_model
from groundwork.records import plain
from groundwork.records.release import live
from groundwork.settings import Settings
from truthhypo.faces.doctor import Check, attempt
from truthhypo.faces.jobs import JobStore, Runner
from truthhypo.faces.mcp.server import server
from truthhypo.faces.page.rendering import wants_page
from truthhypo.faces.page.routes import mount_page
from truthhypo.faces.rest.api import PROBLEMS, kept_routes, operation_routes
from truthhypo.faces.rest.middleware import Guard, Journal, Metrics, public_hosts, response_to
from truthhypo.faces.rest.serving import Served, WhileConnected
from truthhypo.faces.rest.tokens import Tokens
from truthhypo.lookups import unfinished_loads
from truthhypo.service.database import ResultStore
from truthhypo.service.engine import PROBE, Engine, Watch
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.world import World


async def examine_health(engine: Engine) -> tuple[Check, ...]:
    """Check the stores, their loads, the parser and the judge. The checks are cheap enough to run every few seconds.

    Raises:
        StoreBusy: The stores are closed.
    """
    settings = engine.settings
    stores = (
        _probed(engine, "graph", settings.graph_address, _graph),
        _probed(engine, "literature", settings.literature_address, _literature),
        _probed(
            engine,
            "load",
            "the stores",
            lambda world: ", ".join(unfinished_loads(world.graph_store, world.literature_store)) or "none unfinished",
        ),
    )
    return (
        *await asyncio.gather(*stores),
        attempt("reader", english_model),
        attempt("judge", lambda: settings.judge or settings.model),
    )


async def _probed(engine: Engine, name: str, place: str, look: Callable[[World], str]) -> Check:
    """Return the check of a store, which fails if the store does not answer soon."""
    try:
        return await engine.probe(name, lambda world: attempt(name, lambda: look(world)))
    except TimeoutError:
        found = f"{without_password(place)}: no answer within {PROBE:g} s"
        return Check(name, False, found, "check that the server runs and is not overloaded")


def health_shape(checks: tuple[Check, ...]) -> dict[str, object]:
    """Return the checks as JSON values, in the form that `doctor` prints."""
    return {"checks": plain(checks), "ok": all(check.ok for check in checks)}


def _graph(world: World) -> str:
    names = live(world.graph_store.releases())
    shown = ", ".join(inventory.labels(world.settings.home, names)) or "no release"
    return f"{world.graph_store.address}: {shown}"


def _literature(world: World) -> str:
    return f"{world.literature_store.address}: {world.literature_store.info().documents:,} documents"


_log = logging.getLogger("truthhypo.serve")
_DESCRIPTION = "Is this statement true, what does the literature say, how sure can I be?"


def application(
    settings: Settings, *, hosts: Collection[str] = (), tokens: Tokens | None = None, root_path: str = ""
) -> FastAPI:
    """Return the service as an ASGI application, which opens the stores when it starts.

    Args:
        settings: Settings with the stores, the model and the limits.
        hosts: Host names that a request may use; if empty, any name.
        tokens: The valid tokens; None if no token is needed.
        root_path: The path of the service behind a proxy.

    Raises:
        InputError: A store is `memory:`.
    """
    engine = Engine(settings)
    metrics = Metrics(engine)
    jobs = JobStore(settings)
    runner = Runner(jobs, engine)
    results = ResultStore(settings)

    # The MCP server keeps no sessions, so a restart of the service does not disturb clients.
    manager = StreamableHTTPSessionManager(
        server(engine), json_response=True, stateless=True, max_request_body_size=int(settings.serve_body)
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        engine.open()
        runner.start(asyncio.get_running_loop())
        try:
            results.open()
        except TruthHypoError as error:  # look-ups and judgements work without a writable HOME
            _log.warning("no results are kept: %s", error.seen)
        watching = asyncio.create_task(Watch(engine).run())
        try:
            async with manager.run():
                yield
        finally:
            watching.cancel()
            await to_thread.run_sync(runner.stop)
            await engine.close()

    app = FastAPI(
        title="truthhypo",
        description=_DESCRIPTION,
        version=version("truthhypo"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.root_path = root_path.rstrip("/")
    served = Served(engine, jobs, runner, results)
    app.include_router(operation_routes(engine))
    app.include_router(kept_routes(served))
    app.router.routes.append(Route("/mcp", WhileConnected(StreamableHTTPASGIApp(manager)), methods=["POST"]))
    app.state.home = settings.home  # where the pages find the files of releases
    mount_page(app, served, tokens)
    _add_health(app, engine, metrics)
    _tell_problems(app)
    public = public_hosts(settings)
    app.add_middleware(Guard, hosts=hosts, tokens=tokens, body=int(settings.serve_body), public=public)
    app.add_middleware(Journal, metrics=metrics, texts=settings.serve_log_texts)
    return app


def _add_health(app: FastAPI, engine: Engine, metrics: Metrics) -> None:
    """Add the routes for operators and health checks."""

    @app.get("/health/live", summary="The process answers.")
    async def alive() -> dict[str, bool]:
        return {"ok": True}

    @app.get("/health/ready", summary="Stores, release, index and reader are in order.", responses={503: PROBLEMS[503]})
    async def ready(request: Request) -> Response:
        checks = await examine_health(engine)
        found = health_shape(checks)
        shown = found if request.scope["allowed"] else {"ok": found["ok"]}  # only clients with a token see addresses
        return JSONResponse(shown, 200 if found["ok"] else 503)

    @app.get("/metrics", summary="Metrics for Prometheus.", response_class=Response)
    async def measured() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)


def _methods(app: FastAPI, request: Request) -> list[str]:
    """Return all HTTP methods that the schema lists for a path. Each method may have its own route."""
    path = request.url.path.removeprefix(app.root_path)
    paths = app.openapi()["paths"].items()
    return sorted(method.upper() for told, methods in paths if compile_path(told)[0].match(path) for method in methods)


def _unfit(fault: Mapping[str, Any]) -> Problem:
    """Return the problem of a request that does not fit the schema."""
    seen, wanted, remedy = fault_place(fault), fault_message(fault), "correct the request; /openapi.json describes it"
    if fault["type"] == "json_invalid":
        seen, wanted = f"a body that is not JSON, from character {fault['loc'][-1]} on", "a JSON document"
    elif fault["loc"] == ("body",) and isinstance(fault["input"], bytes):
        remedy = "send JSON with the header Content-Type: application/json"
    return Problem.told(422, seen, wanted, remedy)


def _tell_problems(app: FastAPI) -> None:
    """Answer every error with a problem, and describe problems in the OpenAPI schema."""

    @app.exception_handler(ProblemRaised)
    async def raised(request: Request, error: ProblemRaised) -> Response:
        return response_to(request.scope, error.problem)

    @app.exception_handler(TruthHypoError)
    async def failed(request: Request, error: TruthHypoError) -> Response:
        return response_to(request.scope, Problem.of(error))

    @app.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: ClientDisconnect) -> Response:
        return Response(status_code=499)  # the client is gone, so only the log shows this status

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        return response_to(request.scope, _unfit(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        status = 422 if error.status_code == 400 else error.status_code  # FastAPI's 400 means that the body is not JSON
        wanted = "a path and a method of /openapi.json" if status in (404, 405) else "a JSON document in UTF-8"
        seen, remedy = str(error.detail), "correct the request"
        if wants_page(request.scope):
            seen = f"there is no page at {request.url.path}" if status == 404 else seen
            wanted, remedy = "an address of this service", "check the address, or begin at the first page"
        response = response_to(request.scope, Problem.told(status, seen, wanted, remedy))
        response.headers.update(error.headers or {})
        if status == 405 and (methods := _methods(app, request)):
            response.headers["Allow"] = ", ".join(methods)
        return response

    plain_schema = app.openapi

    def described() -> dict[str, Any]:
        schema = plain_schema()
        schema["components"]["schemas"].setdefault("Problem", Problem.model_json_schema())
        return schema

    app.openapi = described  # type: ignore[method-assign]  # the way that FastAPI documents
