"""Load transformers models without their progress bars, which would disturb a command's output."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Hide the progress bars of transformers on stderr inside the context; downloads from the hub are still shown."""
    from huggingface_hub import utils as hub  # type: ignore[import-not-found]  # comes with transformers
    from transformers.utils import logging

    shown, told = logging.is_progress_bar_enabled(), not hub.are_progress_bars_disabled()
    logging.disable_progress_bar()  # this disables the hub's bars as well
    if told:
        hub.enable_progress_bars()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
        if not told:
            hub.disable_progress_bars()
