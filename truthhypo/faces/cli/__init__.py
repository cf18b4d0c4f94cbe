"""The command `truthhypo`: one entry, exit codes as contract.md says, errors as one message."""

from truthhypo.faces.cli.entry import main

__all__ = ["main"]
