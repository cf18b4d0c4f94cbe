"""Prepare settings for display: value and origin of each setting, with secrets masked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from groundwork.errors import MASK, without_password
from groundwork.records import Record
from groundwork.settings import Settings


@dataclass(frozen=True, slots=True)
class ShownSetting(Record):
    """One setting: its name, value (masked if secret), origin of the value, and description."""

    name: str
    value: Any
    origin: str
    description: str


def shown(settings: Settings, origins: dict[str, str]) -> tuple[ShownSetting, ...]:
    """Return all settings for display. Passwords in addresses are removed.

    Args:
        settings: The settings. For a store without an address, the address of the embedded store under HOME is shown.
        origins: The origin of the value of each setting, by the name of the setting.
    """
    values = settings.model_dump() | {
        "graph": without_password(settings.graph_address),
        "literature": without_password(settings.literature_address),
        "openai_base_url": without_password(settings.openai_base_url),
        "pubtator_files": without_password(settings.pubtator_files),
        "pubmed_files": without_password(settings.pubmed_files),
    }
    return tuple(
        ShownSetting(name, _plain(value), origins[name], Settings.model_fields[name].description or "")
        for name, value in values.items()
    )


def _plain(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    return str(value) if isinstance(value, Path) else value
