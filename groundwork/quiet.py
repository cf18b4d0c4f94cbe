"""Loading a model of transformers without its progress bars, which would stand between what a command says."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No bars of transformers on stderr meanwhile; afterwards as before. What the hub downloads is still told."""
    from huggingface_hub import utils as hub  # type: ignore[import-not-found]  # comes with transformers
    from transformers.utils import logging

    shown, told = logging.is_progress_bar_enabled(), not hub.are_progress_bars_disabled()
    logging.disable_progress_bar()  # the hub's with them
    if told:
        hub.enable_progress_bars()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
        if not told:
            hub.disable_progress_bars()
