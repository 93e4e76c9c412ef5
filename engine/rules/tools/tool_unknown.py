"""# tool-unknown

A tool that a check, `requiredTools` or `prohibitedTools` names, and that `tools` does not declare.

A model that keeps to the declared tools never calls it. A check for such a call fails every answer; a check against
it, as under `should_not`, passes every answer.

Bad:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculater

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculator

Fix: none. The message suggests a declared tool with a similar name.

Documents: Blueprint format, Tool-Use (Trace-Only) Support; Blueprint format, Configuration Header Fields, `tools`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.diagnostics import Severity
from engine.rules.rule import Report, Rule
from engine.rules.spelling import suggestion
from engine.rules.tools.tool_names import LISTS, checks_of_tools, declared_tools, listed_tools, place_of
from engine.rules.views import FileView
from engine.tool_use.call_expectations import tools_named


def _check(view: FileView) -> Iterator[Report]:
    has_lists = view.holds(*LISTS)
    declared = declared_tools(view) if has_lists or view.holds("tool_") else None
    if declared is None:
        return
    for prompt in view.blueprint.prompts:
        for point in checks_of_tools(view.in_prompt(prompt)):
            for name in dict.fromkeys(() if point.function is None else tools_named(point.function)):
                if name and name not in declared:
                    yield Report(place_of(view, point, name), _message(name, tuple(declared)))
        for node in (node for key in LISTS if has_lists for node in listed_tools(view, prompt, key)):
            if node.text not in declared:
                yield Report(node.span, _message(node.text, tuple(declared)))


def _message(name: str, declared: Sequence[str]) -> str:
    return f"`tools` declares no “{name}”{suggestion(name, declared)}"


RULES = (
    Rule(
        code="F025",
        slug="tool-unknown",
        severity=Severity.WARNING,
        why="No answer can call a tool that is not declared, so every answer gets the same result.",
        on_file=_check,
    ),
)
