"""The command `truthhypo mcp`: offers the tools for agents (Model Context Protocol) over stdin and stdout."""

import asyncio

import typer

from truthhypo.faces.cli.output import Output
from truthhypo.faces.cli.serve import check_installed


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(mcp)


def mcp(context: typer.Context) -> None:
    """Start the MCP tools over stdio. An MCP client runs this command and ends it by closing the connection."""
    check_installed()
    from truthhypo.faces.mcp.stdio import run

    output: Output = context.obj
    asyncio.run(run(output.settings()))
