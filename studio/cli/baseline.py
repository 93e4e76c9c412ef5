"""The baseline of `studio check`: the problems that are known, so that only new ones are reported.

A JSON object with `version` (1) and `problems`: a sorted list of objects, one on each line, with the `file` (relative
to the folder of the baseline, with `/`), the `slug` of the rule, a `digest` of what is underlined and its surroundings
(see `problem_digest`), and the `count` of such problems. It holds no line numbers and no text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from engine.text.record import Record, read_json

VERSION = 1
"""The version of the format. A reader refuses later ones."""

_T = TypeVar("_T")


class BadBaseline(ValueError):
    """A text that is not a baseline. Its message says why, for authors."""


class Known(Record, order=True):
    """What a known problem is found by."""

    file: str
    slug: str
    digest: str


Baseline: TypeAlias = Mapping[Known, int]
"""How often each known problem occurs, at least once."""


def read_baseline(text: str) -> Baseline:
    """The baseline in `text`. Raises `BadBaseline`."""
    try:
        data: Any = read_json(text)
    except ValueError as error:
        raise BadBaseline(f"it is not JSON ({error})") from error
    if not isinstance(data, dict) or not isinstance(data.get("version"), int) or "problems" not in data:  # pyright: ignore[reportUnknownMemberType]
        raise BadBaseline("it has no version and list of problems")
    table = cast("dict[str, Any]", data)
    if table["version"] != VERSION:
        raise BadBaseline(f"it has version {table['version']}, and this studio reads version {VERSION}")
    problems: Any = table["problems"]
    if not isinstance(problems, list):
        raise BadBaseline("“problems” is not a list")
    counts: Counter[Known] = Counter()
    for number, item in enumerate(cast("list[Any]", problems), 1):
        known, count = _read_item(item, number)
        counts[known] += count
    return counts


def _read_item(item: Any, number: int) -> tuple[Known, int]:
    match item:
        case {"file": str(file), "slug": str(slug), "digest": str(digest), "count": int(count)} if count > 0:
            return Known(file, slug, digest), count
        case _:
            raise BadBaseline(f"problem {number} of its list has no file, slug, digest and count")


def written(baseline: Baseline) -> str:
    """The text of `baseline`: sorted, one problem on each line."""
    rows = [
        json.dumps({"file": known.file, "slug": known.slug, "digest": known.digest, "count": count})
        for known, count in sorted(baseline.items())
        if count > 0
    ]
    listed = ",\n".join(f"    {row}" for row in rows)
    problems = f"[\n{listed}\n  ]" if rows else "[]"
    return f'{{\n  "version": {VERSION},\n  "problems": {problems}\n}}\n'


def new_ones(problems: Sequence[tuple[Known, _T]], baseline: Baseline) -> list[_T]:
    """The problems beyond those that `baseline` counts, in order: of several alike the first are the known ones."""
    left = Counter(dict(baseline))
    new: list[_T] = []
    for known, problem in problems:
        if left[known] > 0:
            left[known] -= 1
        else:
            new.append(problem)
    return new


def gone(found: Iterable[Known], baseline: Baseline, could_occur: Callable[[Known], bool]) -> Baseline:
    """The problems of `baseline` that no longer occur, with how many of them, sorted.

    `could_occur` tells whether the check would have found a problem: its file was checked with its rule, or is gone.
    """
    counts = Counter(found)
    return {
        known: count - counts[known]
        for known, count in sorted(baseline.items())
        if count > counts[known] and could_occur(known)
    }


def updated(found: Iterable[Known], baseline: Baseline, could_occur: Callable[[Known], bool]) -> Baseline:
    """The baseline of what is `found`, with those of `baseline` that this check could not find."""
    unchecked = {known: count for known, count in baseline.items() if not could_occur(known)}
    return Counter(unchecked) + Counter(found)
