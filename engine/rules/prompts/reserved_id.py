"""# reserved-id

A file whose name gives an id with `_pr_`, `_staging_` or `_test_` in it.

The id comes from the path below `blueprints/`, folders joined by `__`. These words are reserved: Weval keeps them for
runs of its own, of pull requests, staging and tests, and takes no blueprint with such an id: nothing in it is scored.

Bad:

    # blueprints/capitals_test_2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    # blueprints/capitals-test-2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Rename the file, with hyphens for example.

Documents: 002, "Configuration Header Fields", `id`: "always derived from its file path".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.identity import blueprint_id
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import line_end
from engine.rules.views import FileView
from engine.text import Span

_RESERVED = ("_pr_", "_staging_", "_test_")


def _check(view: FileView) -> Iterator[Report]:
    if view.path is None:
        return
    name = blueprint_id(view.path)
    word = next((word for word in _RESERVED if word in name), None)
    if word is not None:
        yield Report(
            Span(0, line_end(view.text, 0)),
            f"the file's name makes `{name}` the id of this blueprint, and `{word}` in an id is reserved",
        )


RULES = (
    Rule(
        code="S026",
        slug="reserved-id",
        severity=Severity.ERROR,
        why="Weval keeps such ids for runs of its own and does not take the blueprint: nothing in it is scored.",
        on_file=_check,
    ),
)
