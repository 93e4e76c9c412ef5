"""The user's settings, saved in `settings.json`."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.atomic import write_atomically
from engine.places import config_dir


class SavedAnswers(BaseModel):
    """The answer source chosen for one file, with its options."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: str
    """`ideal`, `response`, `control`, `fixtures` or `model`."""
    value: str = ""
    """The name of the control answer, the path of the fixtures, or the id of the model."""
    base_url: str | None = None
    """The base URL that the author entered for the model."""
    more: tuple[SavedAnswers, ...] = ()
    """Further sources, run together with this one."""
    variants: tuple[str, ...] = ()
    """The variants that models answer, each by its suffix in the key of a result."""
    judges: str = ""
    """The judges of criteria: the name of a `JudgesAs`, or "" if only the author grades."""
    max_tokens: int | None = None
    """The upper bound of tokens of a model's answer; None for `Settings.max_tokens`."""


class SavedCap(BaseModel):
    """The limits of one run in dollars and requests; None for no limit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dollars: float | None = None
    requests: int | None = None


class Settings(BaseModel):
    """The settings file, `settings.json`. Unknown keys are preserved; an unreadable file gives the defaults."""

    model_config = ConfigDict(extra="allow")

    theme: str = "studio-dark"
    """The colour theme."""
    wrap: bool = True
    """Whether the editor wraps long lines."""
    answers: dict[str, SavedAnswers] = Field(default_factory=dict)
    """The chosen answer sources, by the path of the file."""
    consented: list[str] = Field(default_factory=list)
    """Recipients that the author consented to: the host, the kind of text, and the variables sent along."""
    cap: SavedCap = SavedCap()
    """The limits of one run."""
    ask_above: float = 0.5
    """Dollars. A run that may cost more always needs a confirmation."""
    max_tokens: int | None = None
    """The upper bound of tokens of a model's answer; None for Weval's 1,500."""

    @classmethod
    def load(cls) -> Settings:
        """The settings as saved, or the defaults."""
        try:
            return cls.model_validate_json(_settings_path().read_bytes())
        except (OSError, ValidationError):
            return cls()

    def save(self) -> None:
        """Write the settings. Raises `OSError`."""
        _settings_path().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(_settings_path(), self.model_dump_json(indent=2).encode())


def _settings_path() -> Path:
    return config_dir() / "settings.json"
