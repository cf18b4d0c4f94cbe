"""The benchmark as a task of inspect_ai (extra `inspect`).

    inspect eval truthhypo/hypothesize -T data=set -T setting=kg+lit --model openai/gpt-4o-mini

inspect_ai finds the package by the entry point `inspect_ai` and imports this module, which registers the task.
"""

from truthhypo.faces.inspect.answering import answer
from truthhypo.faces.inspect.scoring import measures, relation
from truthhypo.faces.inspect.task import hypothesize

__all__ = ["answer", "hypothesize", "measures", "relation"]
