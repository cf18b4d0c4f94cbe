"""Measure this project: its speed (`performance`) and the quality of its answers (`quality`).

MEASURED.md has the figures and the commands.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from inspect import getdoc


def parser_of(command: Callable[..., None]) -> ArgumentParser:
    """Return a parser of options that is described by the docstring of the command."""
    return ArgumentParser(description=getdoc(command), formatter_class=RawDescriptionHelpFormatter)
