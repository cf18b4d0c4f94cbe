"""The commands `truthhypo serve`, which starts the service over HTTP and makes access tokens, and `truthhypo mcp`."""

import asyncio
import ipaddress
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwork.errors import InputError
from truthhypo.faces.cli.output import Output, emit_json, note

if TYPE_CHECKING:
    from groundwork.settings import Settings
    from truthhypo.faces.rest.tokens import Tokens


app = typer.Typer(help="Start the web service (a page, REST and MCP).", rich_markup_mode=None)

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

TokenFile = Annotated[Path | None, typer.Option(help="File of access tokens. Default: HOME/tokens.")]


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 chooses a free one.")] = 8000,
    token_file: TokenFile = None,
    root_path: Annotated[str, typer.Option(help="URL path of the service behind a proxy.")] = "",
) -> None:
    """Serve the page at /, REST under /api/v1 and MCP at /mcp until interrupted."""
    if context.invoked_subcommand is not None:
        return
    check_installed()
    import uvicorn

    from truthhypo.faces.rest.app import application
    from truthhypo.faces.rest.connections import connection_class
    from truthhypo.service.stores import log_to_stderr

    output: Output = context.obj
    settings = output.settings()
    tokens = _tokens(settings, host, token_file)
    served = application(settings, hosts=_hosts(host, settings), tokens=tokens, root_path=root_path)
    log_to_stderr(texts=settings.serve_log_texts)
    with _listening(host, port) as listener:
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        if output.json:
            emit_json({"address": address, "token": tokens is not None})
        note(f"serving at {address} (press Ctrl-C to stop)")
        config = uvicorn.Config(
            served,
            http=connection_class(settings.serve_receive),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=15,
        )
        uvicorn.Server(config).run(sockets=[listener])


@app.command()
def token(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the person or program that gets the token.")],
    scope: Annotated[str, typer.Option(help="read, or judge (which includes read).")] = "read",
    token_file: TokenFile = None,
) -> None:
    """Make an access token and print it once. Its SHA-256 is added to the token file."""
    from truthhypo.faces.rest.tokens import add

    output: Output = context.obj
    path = token_file or output.settings().home / "tokens"
    made = add(path, name, scope)
    if output.json:
        emit_json({"name": name, "scope": scope, "token": made, "file": str(path.absolute())})
    else:
        sys.stdout.write(f"{made}\n")


def check_installed() -> None:
    """Check that the packages of the extra `serve` are installed.

    Raises:
        InputError: A package is missing.
    """
    from importlib.util import find_spec

    missing = [
        module
        for module in ("fastapi", "python_multipart", "uvicorn", "mcp", "pebble", "prometheus_client")
        if not find_spec(module)
    ]
    if missing:
        raise InputError(
            f"{', '.join(missing)} is not installed", "the extra serve", "install it: pip install 'truthhypo[serve]'"
        )


def _tokens(settings: "Settings", host: str, given: Path | None) -> "Tokens | None":
    """Return the valid tokens from the given file, or from HOME/tokens if no file is given.

    Return None if no file is given and HOME/tokens is absent.
    """
    from truthhypo.faces.rest.tokens import Tokens

    path = given or settings.home / "tokens"
    tokens = Tokens.read(path) if given or path.exists() else None
    if not _loopback(host) and not (tokens and tokens.scopes):
        raise InputError(
            f"the address {host}, which other machines can reach, without an access token",
            "an access token, or a loopback address",
            "make a token with: truthhypo serve token NAME --scope judge; or omit --host",
        )
    return tokens


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _hosts(host: str, settings: "Settings") -> frozenset[str]:
    """Return the host names that requests may use. An empty set allows any name.

    The set is empty if the service listens on all addresses and the setting `serve_hosts` is empty.
    """
    from truthhypo.faces.rest.middleware import public_hosts

    named = public_hosts(settings)
    if host in ("0.0.0.0", "::"):  # noqa: S104 - only compared; such a service needs tokens
        return named | _LOOPBACK if named else named
    return named | {host} | (_LOOPBACK if _loopback(host) else frozenset())


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening socket."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sets TCP_NODELAY only if the protocol is given here. Without it, each answer waits 40 ms for an ACK.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(256)
        except OSError:
            listener.close()
            raise
        return listener
    except OSError as error:
        raise InputError(
            f"{host} port {port}: {error.strerror}", "a free port on an address of this machine", "give another --port"
        ) from None


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(mcp)


def mcp(context: typer.Context) -> None:
    """Start the MCP tools over stdio. An MCP client runs this command and ends it by closing the connection."""
    check_installed()
    from truthhypo.faces.mcp.server import run

    output: Output = context.obj
    asyncio.run(run(output.settings()))
