"""`truthhypo mcp`: the tools for agents over stdio."""

import asyncio

import typer

from truthhypo.faces.cli.output import Output
from truthhypo.faces.cli.serve import check_installed


def register(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command()(mcp)


def mcp(context: typer.Context) -> None:
    """Serve the MCP tools over stdio, as a client's settings start it; it ends when the client does."""
    check_installed()
    from truthhypo.faces.mcp.stdio import run

    output: Output = context.obj
    asyncio.run(run(output.settings()))
