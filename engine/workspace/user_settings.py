"""What the author chose and wants to find again."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.atomic import write_atomically
from engine.places import config_dir


class SavedAnswers(BaseModel):
    """Where answers come from for one file: the name of an answer source, and what it needs."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: str
    """`ideal`, `response`, `control`, `fixtures` or `model`."""
    value: str = ""
    """The control answer's name, the fixtures' path or the model's id."""
    base_url: str | None = None
    """A URL given by hand for the model."""
    more: tuple[SavedAnswers, ...] = ()
    """Further sources that are run beside this one."""
    variants: tuple[str, ...] = ()
    """Which variants models are asked in, by what each adds to the key of a result."""
    judges: str = ""
    """Who judges points in words: the name of a `JudgesAs`, or "" for nobody but the author."""
    max_tokens: int | None = None
    """The most tokens of an answer of a model; None for `Settings.max_tokens`."""


class SavedCap(BaseModel):
    """What one run may take: no more than so many dollars and requests; None for as much as it needs."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dollars: float | None = None
    requests: int | None = None


class Settings(BaseModel):
    """The settings file, `settings.json`. Unknown keys are left alone; an unreadable file gives the defaults."""

    model_config = ConfigDict(extra="allow")

    theme: str = "studio-dark"
    """The colour theme."""
    wrap: bool = True
    """Whether long lines of a blueprint are wrapped."""
    answers: dict[str, SavedAnswers] = Field(default_factory=dict)
    """Where answers come from, by the file's path."""
    consented: list[str] = Field(default_factory=list)
    """Recipients to whom the author agreed to send texts: host, kind of text, and variables that go with it."""
    cap: SavedCap = SavedCap()
    """What one run may take at most."""
    ask_above: float = 0.5
    """Dollars. A run that may cost more is always asked about before it begins."""
    max_tokens: int | None = None
    """The most tokens of an answer of a model; None for as many as on Weval, 1,500."""

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
