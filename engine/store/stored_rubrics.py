"""The rubric of a run as text, so that a later version can be compared with it: a small blueprint in JSON."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

from engine.blueprint import ABSENT, Header, Path, Point, Prompt
from engine.parsing import parse

_OF_HEADER = ("description", "evaluationConfig", "useExperimentalScale")
"""What judges see of the header, and who they are. Models and services are left out: they may hold keys."""


def rubric_text(header: Header | None, prompt: Prompt) -> str:
    """The messages, ideal and rubric of `prompt` with what judges see of `header`; "" if it cannot be read whole."""
    if prompt.is_cut_off:
        return ""
    fields = {} if header is None else {key: header.fields[key] for key in _OF_HEADER if key in header.fields}
    written: dict[str, Any] = {
        "id": prompt.id,
        "messages": [{"role": each.role.value, "content": each.content} for each in prompt.messages],
        **({} if prompt.ideal is None else {"ideal": prompt.ideal}),
        **{rubric.block.value: [_entry(entry) for entry in rubric.entries] for rubric in prompt.rubrics},
    }
    try:
        return json.dumps({**fields, "prompts": [written]}, ensure_ascii=False)
    except (TypeError, ValueError):  # an argument that JSON has no form for, such as a date
        return ""


def stored_rubric(text: str) -> tuple[Header, Prompt] | None:
    """The header and the prompt of a text that `rubric_text` wrote; None if this version cannot read it."""
    blueprint = parse(text, FilePath("rubric.json")).blueprint
    return (blueprint.header, blueprint.prompts[0]) if len(blueprint.prompts) == 1 else None


def _entry(entry: Point | Path) -> Any:
    return [_point(point) for point in entry.points] if isinstance(entry, Path) else _point(entry)


def _point(point: Point) -> dict[str, Any]:
    more: dict[str, Any] = {} if point.multiplier == 1 else {"multiplier": point.multiplier}
    if point.citation is not None:
        more["citation"] = point.citation
    if point.function is None:
        return {"text": point.text, **more}
    arg = {} if point.function.args is ABSENT else {"arg": point.function.args}
    return {"fn": point.function.name, **arg, **more}
