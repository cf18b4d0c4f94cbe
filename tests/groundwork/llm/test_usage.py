"""The tokens and the cost of calls."""

import pytest

from groundwork.errors import BudgetSpent
from groundwork.llm.usage import Budget, Prices, Tally, estimate, since, total
from groundwork.ports import NO_USAGE

PRICES = Prices(2.0, 8.0)
UNKNOWN = Prices(2.0, None)


def test_a_tally_reports_usage_under_the_names_of_the_port():
    tally = Tally(PRICES)
    assert tally.usage() == dict(NO_USAGE)
    tally.add(calls=1, prompt_tokens=500_000, completion_tokens=250_000, seconds=1.5)
    assert tally.usage() == {
        **NO_USAGE,
        "calls": 1,
        "prompt_tokens": 500_000,
        "completion_tokens": 250_000,
        "cost": 3.0,
        "seconds": 1.5,
    }


def test_with_an_unknown_price_the_cost_is_unknown():
    tally = Tally(UNKNOWN)
    tally.add(prompt_tokens=10)
    assert tally.usage()["cost"] is None
    assert since(tally.usage(), Tally(UNKNOWN).usage())["cost"] is None
    assert total([tally.usage(), Tally(PRICES).usage()])["cost"] is None


def test_usage_can_be_added_and_subtracted():
    one, two = {"calls": 1, "cost": 0.1}, {"calls": 2, "cost": 0.2}
    assert total([one, two]) == {"calls": 3, "cost": 0.3}
    assert since(total([one, two]), one) == two
    assert total([]) == {}


@pytest.mark.parametrize(("texts", "tokens"), [((), 0), (("a",), 1), (("abcd",), 1), (("abcd", "e"), 2)])
def test_tokens_are_estimated_as_a_quarter_of_the_characters(texts, tokens):
    assert estimate(*texts) == tokens


def test_a_call_that_would_exceed_the_token_budget_is_refused():
    budget = Budget(100, None, UNKNOWN)
    with budget.call(60):
        with pytest.raises(BudgetSpent, match="100 tokens"), budget.call(50):
            pass
        with budget.call(40):
            pass
        budget.spend(50, 30)
    with budget.call(20):
        pass
    with pytest.raises(BudgetSpent, match="80 spent"), budget.call(21):
        pass


def test_a_budget_of_cost_counts_replies_at_their_price():
    budget = Budget(None, 1.0, PRICES)
    budget.spend(100_000, 100_000)  # 0.2 + 0.8
    with budget.call(0):
        pass
    with pytest.raises(BudgetSpent, match="exceed the budget of a cost of 1"), budget.call(1):
        pass


def test_a_budget_without_limits_allows_every_call():
    budget = Budget(None, None, UNKNOWN)
    budget.spend(10**12, 10**12)
    with budget.call(10**12):
        pass
