"""A token and cost budget: a call that would exceed the budget is not started; calls in progress are finished."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from groundwork.errors import BudgetSpent
from groundwork.llm.usage import Prices


class Budget:
    """The budget of one run; safe for several threads.

    A call may start if the tokens spent, the estimated prompt tokens of the calls in progress, and those of the new
    call together stay within the budget. The length of a reply is not known in advance, and the tokens of a prompt are
    only estimated. So the budget can be exceeded, by the replies in progress and by the errors of the estimates.

    Args:
        tokens: Limit of prompt and reply tokens together; None for no limit.
        cost: Limit of cost, in the currency of the prices; None for no limit.
        prices: Token prices; they must be known if there is a cost limit.
    """

    def __init__(self, tokens: int | None, cost: float | None, prices: Prices) -> None:
        self._tokens = tokens
        self._cost = cost
        self._prices = prices
        self._lock = Lock()
        self._prompt = self._completion = self._reserved = 0

    @contextmanager
    def call(self, estimate: int) -> Iterator[None]:
        """Reserve a call's estimated prompt tokens while the call is in progress.

        Raises:
            BudgetSpent: If the call would exceed the budget. The call must then not be sent.
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
        """Add the tokens of a reply to the tokens spent."""
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
        f"a call was not sent, because it would exceed the budget of {limit} ({spent} spent so far)",
        "a budget that covers all calls",
        f"run the same command with a higher {flag}; questions that were answered are not sent again",
    )
