"""Weval's schema of the normalised blueprint, by which it evaluates proposals (platform.md, "The canonical form").

Further keys are fine but in messages. The form is that of `SEEN`. Apart from `normalised_form`, which every text needs:
this brings pydantic.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.yaml.nodes import Data

SEEN = "1 July 2026"
_Size = Annotated[float, Field(ge=0.1, le=10)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


class _Message(_Form):
    model_config = ConfigDict(strict=True, extra="forbid")
    role: Literal["user", "assistant", "system"]
    content: str | None


class _Point(_Form):
    multiplier: _Size = 1
    citation: str = ""

    @model_validator(mode="before")
    @classmethod
    def _is_text_or_check(cls, value: Any) -> Any:
        kinds = (
            [isinstance(value[key], str) for key in ("text", "fn") if key in value] if isinstance(value, dict) else []
        )
        if kinds != [True]:
            raise ValueError("a `text` or a `fn`, and not both")
        return value  # pyright: ignore[reportUnknownVariableType]


class _Prompt(_Form):
    messages: list[_Message]
    ideal: str = Field("", alias="idealResponse")
    system: str | None = None
    weight: _Size = 1
    points: list[_Point | Annotated[list[_Point], Field(min_length=1)]] = []
    should_not: list[_Point | Annotated[list[_Point], Field(min_length=1)]] = []


class _Reference(_Form):
    title: str


class _Author(_Form):
    name: str


class _Model(_Form):
    id: str
    url: str
    name: str = Field(alias="modelName")
    inherit: str
    format: Literal["chat", "completions"] = "chat"


class _Blueprint(_Form):
    prompts: list[_Prompt]
    title: str = ""
    description: str = ""
    id: str = ""
    embedding_model: str = Field("", alias="embeddingModel")
    references: list[_Reference] = []
    author: str | _Author = ""
    tags: list[str] = []
    no_cache: bool = Field(False, alias="noCache")
    tools: list[dict[str, Any]] = []
    tool_use: dict[str, Any] = Field({}, alias="toolUse")
    context: dict[str, Any] = {}
    point_defs: dict[str, Any] = {}
    system: str | list[str | None] | None = None
    models: list[str | _Model] = []


Place: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the whole to what does not meet the form."""

ASKED = {
    "prompts": "`prompts`",
    "messages": "`messages`, each with only a `role` and a `content`",
    "weight": "a `weight` from 0.1 to 10",
    "points": "criteria with a `text` or a function, a weight from 0.1 to 10 and a citation that is text",
    "references": "`references` with a `title` each",
    "author": "an `author` that is a text, or has a `name`",
    "tags": "`tags` that are texts",
    "noCache": "`noCache` with true or false",
    "tools": "`tools` that are a list of mappings",
    "toolUse": "a `toolUse` that is a mapping",
    "context": "a `context` that is a mapping",
    "point_defs": "`point_defs` that are a mapping",
    "models": "models with `id`, `url`, `modelName` and `inherit`, and the `format` chat or completions",
}
"""What the form asks for, by key; of all others, a text."""
ASKED["should_not"] = ASKED["points"]


def misses(config: Data) -> list[Place]:
    """The places in the normalised form that do not meet the canonical form, each once: at most a prompt's entry."""
    try:
        _Blueprint.model_validate(config)
    except ValidationError as error:
        return list(dict.fromkeys(_place(each["loc"]) for each in error.errors(include_url=False, include_input=False)))
    return []


def _place(found: Place) -> Place:
    """The place of an error, without pydantic's names of the forms that it tried."""
    return tuple(each for each in found if isinstance(each, int) or each in _NAMES)[:4]


_NAMES = frozenset(field.alias or name for form in (_Blueprint, _Prompt) for name, field in form.model_fields.items())
