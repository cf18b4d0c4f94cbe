"""A budget in tokens and in cost: no call begins that would pass it; calls under way are finished."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from groundwork.errors import BudgetSpent
from groundwork.llm.usage import Prices


class Budget:
    """What a run may spend; safe to use from several threads.

    A call is let through if what is spent, what calls under way are estimated to spend, and its own prompt's estimate
    stay within the budget. The length of replies is not known before, so the budget is passed by at most the replies
    that were under way.

    Args:
        tokens: Prompt and reply tokens together; None: no limit.
        cost: In the currency of the prices; None: no limit.
        prices: They are known if there is a limit of cost.
    """

    def __init__(self, tokens: int | None, cost: float | None, prices: Prices) -> None:
        self._tokens = tokens
        self._cost = cost
        self._prices = prices
        self._lock = Lock()
        self._prompt = self._completion = self._reserved = 0

    @contextmanager
    def call(self, estimate: int) -> Iterator[None]:
        """Hold a call's estimated prompt tokens while it is under way.

        Raises:
            BudgetSpent: The call would pass the budget; it must not be made.
        """
        with self._lock:
            self._check(self._prompt + self._reserved + estimate)
            self._reserved += estimate
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= estimate

    def spend(self, prompt: int, completion: int) -> None:
        """Count the tokens of a reply."""
        with self._lock:
            self._prompt += prompt
            self._completion += completion

    def _check(self, prompt: int) -> None:
        tokens, cost = prompt + self._completion, self._prices.cost(prompt, self._completion)
        if self._tokens is not None and tokens > self._tokens:
            raise _spent(f"{self._tokens:,} tokens", f"{self._prompt + self._completion:,}", "--budget-tokens")
        if self._cost is not None and cost is not None and cost > self._cost:
            spent = self._prices.cost(self._prompt, self._completion)
            raise _spent(f"a cost of {self._cost:g}", f"{spent:g}", "--budget-cost")


def _spent(limit: str, spent: str, flag: str) -> BudgetSpent:
    return BudgetSpent(
        f"not asked: the budget of {limit} does not bear another call ({spent} spent)",
        "a budget for all calls",
        f"run it again with a higher {flag}; what was answered is not asked again",
    )
