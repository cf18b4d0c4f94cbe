"""Models are loaded without transformers' progress bars, and the earlier setting is restored."""

import pytest

from groundwork.model_files import quiet

pytestmark = pytest.mark.models


@pytest.fixture
def bars():
    """The switches of transformers and of the hub, restored after the test."""
    from huggingface_hub import utils as hub
    from transformers.utils import logging

    yield logging, hub
    logging.enable_progress_bar()
    hub.enable_progress_bars()


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("shown", [True, False])
def test_progress_bars_are_off_during_loading_and_restored_afterwards(bars, shown, told):
    logging, hub = bars
    (logging.enable_progress_bar if shown else logging.disable_progress_bar)()
    (hub.enable_progress_bars if told else hub.disable_progress_bars)()

    def state():
        return logging.is_progress_bar_enabled(), not hub.are_progress_bars_disabled()

    with pytest.raises(OSError, match="gone"), quiet():
        assert state() == (False, told)
        raise OSError("gone")
    assert state() == (shown, told)
