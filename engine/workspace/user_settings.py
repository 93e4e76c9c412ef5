"""The user's settings, saved in `settings.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.own_files import Damaged, OwnFile
from engine.settings_json import parse_settings, settings_path
from engine.workspace.exclusive_lock import exclusively

_LOCK_SECONDS = 2.0
"""How long to wait for another studio that changes the settings. It may have been stopped."""


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

    dollars: float | None = Field(default=None, allow_inf_nan=False)
    requests: int | None = None


class Settings(BaseModel):
    """The settings file, `settings.json`. Unknown keys are preserved."""

    model_config = ConfigDict(extra="allow")

    name: str = ""
    """The author's name as it stands in cases; "" for none."""
    theme: str = "studio-dark"
    """The colour theme."""
    wrap: bool = True
    """Whether the editor wraps long lines."""
    panes: dict[int, dict[str, int]] = Field(default_factory=dict)
    """Sizes of panes, by the width of the screen in columns and the name of the pane."""
    answers: dict[str, SavedAnswers] = Field(default_factory=dict)
    """The chosen answer sources, by the path of the file."""
    consented: list[str] = Field(default_factory=list)
    """Recipients that the author consented to: the host, the kind of text, and the variables sent along."""
    drafted: list[str] = Field(default_factory=list)
    """Digests of the criteria that were drafted from an ideal and taken, the newest last."""
    cap: SavedCap = SavedCap()
    """The limits of one run."""
    ask_above: float = Field(default=0.5, allow_inf_nan=False)
    """Dollars. A run that may cost more always needs a confirmation."""
    max_tokens: int | None = None
    """The upper bound of tokens of a model's answer; None for Weval's 1,500."""
    answer_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """How long a model's answer may take from request to end; None for ten minutes."""

    @classmethod
    def load(cls) -> Settings:
        """The settings as saved, or the defaults; a damaged file is set aside. Blocks."""
        return _file().load() or cls()

    def save(self) -> None:
        """Write the settings; a file that was damaged meanwhile is set aside first. Raises `OSError`."""
        _file().write(self.model_dump_json(indent=2).encode())


Change: TypeAlias = Callable[[Settings], object]


def change_saved(present: Settings | None, changes: Sequence[Change]) -> Settings:
    """Apply `changes` to the settings on disk, which another studio may have written, and write them; the result.

    Where none are on disk, or damaged ones, the changes are applied to a copy of `present`, or to the defaults. Blocks.
    Raises `OSError`.
    """
    with exclusively("settings", seconds=_LOCK_SECONDS):
        settings = _file().load() or (Settings() if present is None else present.model_copy(deep=True))
        for change in changes:
            change(settings)
        settings.save()
    return settings


def _file() -> OwnFile[Settings]:
    return OwnFile(settings_path(), _parse)


def _parse(content: bytes) -> Settings:
    try:
        settings = Settings.model_validate(parse_settings(content))
        settings.model_dump_json()  # unknown keys may hold what cannot be written back
        return settings
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"][:1])
        raise Damaged(f"the value of `{key}` is unusable") from error
