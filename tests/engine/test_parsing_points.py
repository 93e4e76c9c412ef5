"""Reading of points: their forms, alternative paths, and `$ref`."""

from __future__ import annotations

from engine.parsing import parse
from tests.engine.parsing_cases import should
from tests.many_cases import every

# Points


@every(
    ("item", "underlined_part"),
    [("Names it", "Names it"), ("{$contains: x, weight: 2}", "$contains"), ("{fn: contains, arg: x}", "contains")],
)
def test_a_point_points_at_its_text_or_its_function(item: str, underlined_part: str) -> None:
    text = should(item)
    [point] = parse(text).blueprint.prompts[0].points()
    assert point.subject_span.of(text) == underlined_part
