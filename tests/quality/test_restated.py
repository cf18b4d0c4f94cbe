"""Statements of BioRED without their relation, or with an addition that no article states."""

import pytest

from benchmarks.quality.restated import LENGTHENED, REWORDED, loaded, measured, pairs


@pytest.mark.slow
def test_reworded_statements_are_not_decided_and_lengthened_ones_not_supported(data, tmp_path):
    documents = data / "biored" / "Dev.PubTator"
    with loaded(tmp_path, documents) as world:
        found = measured(world, pairs(documents))
    assert (found.reworded, found.lengthened) == (REWORDED, LENGTHENED)
    assert (found.decided, found.still) == (0, 0)
