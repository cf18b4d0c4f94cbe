"""The whole judgement with a real small language model over the OpenAI protocol. The test checks that the steps work,
and never the model's opinion.

This test is slow. The same judgement by the command always runs, in tests/truthhypo/test_language_model.py.
"""

import pytest

from groundwork.llm import connect
from groundwork.settings import Settings
from knowhd.check import Checker
from knowhd.options import Scope
from tests.knowhd.test_check import obeys


@pytest.mark.slow
def test_ground_runs_with_a_served_model(stores, language_model_address):
    settings = Settings(openai_base_url=language_model_address, model_tokens=96, model_timeout=400, model_cache=False)
    model = connect("openai:SmolLM2-135M-Instruct", settings)
    shape = obeys(Checker(stores.graph, stores.literature, model).check("Aspirin treats headache.", Scope(k=1)))
    assert shape["model"] == "openai:SmolLM2-135M-Instruct"
    usage = shape["usage"]
    assert 1 <= usage["calls"] <= 12
    assert usage["prompt_tokens"] > 0
    assert usage["completion_tokens"] > 0
    assert usage["calls"] == model.usage()["calls"]
