"""What single rules tell and what they leave alone."""

from __future__ import annotations

from collections.abc import Callable

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity

HEAD = "- id: p\n  prompt: q\n"


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


# counts


def test_a_file_of_prompts_without_any_rubric_is_a_hint_by_default() -> None:
    text = "".join(f'- prompt: "Tell me joke {number}."\n' for number in range(60))
    [one] = [each for each in check(parse(text)) if each.slug == "no-rubric"]
    assert one.severity is Severity.HINT
    assert one.message.startswith("nothing is scored in 60 of 60 prompts")


# with JavaScript


def ideal(answer: str, *points: str) -> str:
    return should(*points) + f"  ideal: {answer}\n"


class Untouched(JavaScript):
    """JavaScript that must not be needed."""

    def run(self, tasks: object, meanwhile: Callable[[], None] | None = None) -> list[object]:  # type: ignore[override]
        assert not tasks
        if meanwhile is not None:
            meanwhile()
        return []


def test_v8_is_not_asked_where_there_is_nothing_to_run() -> None:
    text = ideal("Nairobi, in Kenya.", "Names the city", "$icontains: nairobi")
    assert check(parse(text), Untouched()) == ()
