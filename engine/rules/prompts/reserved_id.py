"""# reserved-id

A file name that gives the blueprint an id with `_pr_`, `_staging_` or `_test_` in it.

The id comes from the path below `blueprints/`, folders joined by `__`. Weval reserves these words for its own runs of
pull requests, staging and tests. It rejects a blueprint with such an id, so nothing in it is scored.

Bad:

    # blueprints/capitals_test_2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    # blueprints/capitals-test-2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Rename the file, for example with hyphens.

Documents: Blueprint format, Configuration Header Fields, `id`, "derived from its file path".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.identity import blueprint_id
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_content_line
from engine.rules.views import FileView

_RESERVED = ("_pr_", "_staging_", "_test_")


def _check(view: FileView) -> Iterator[Report]:
    if view.path is None:
        return
    name = blueprint_id(view.path)
    word = next((word for word in _RESERVED if word in name), None)
    if word is not None:
        yield Report(
            first_content_line(view.text),
            f"the file name gives this blueprint the id `{name}`, and `{word}` is reserved in an id",
        )


RULES = (
    Rule(
        code="S026",
        slug="reserved-id",
        title="File name that Weval reserves",
        severity=Severity.ERROR,
        why="Weval reserves such ids for its own runs and rejects the blueprint: nothing in it is scored.",
        on_file=_check,
    ),
)
