"""# deprecated-key

A deprecated key: a header's `id`, `judgeModels`, `judgeMode` or `defs`, a prompt's `expect`, `expects` or
`expectations`.

Most of these still work, but the documents ask for other keys in new blueprints. `id` and `judgeMode` have no effect
any more. No score changes. Reported once per file and key, with a count.

Bad:

    id: capitals-v1
    title: Capitals
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    title: Capitals
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Remove the key, or use its replacement.

Documents: Blueprint format, Configuration Header Fields, `id`; Blueprint format, LLM Coverage Evaluation Options,
`judgeModels`, `judgeMode`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.parsing.identity import blueprint_id
from engine.rules.rule import Report, file_rule
from engine.rules.source.named_models import coverage_of
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.patterns import lazy
from engine.yaml.nodes import MappingNode, Pair, property_name

_EXPECT = ("expect", "expects", "expectations")
_EXPECTED = lazy(
    r"expect(?:s|ations)?[\"']?[ \t]*:"
)  # starts with a literal word, for speed: searched at every keystroke


@file_rule("S025", Severity.HINT, why="The documents ask for other keys in new blueprints.", off=True)
def deprecated_key(view: FileView) -> Iterator[Report]:
    yield from _of_header(view, view.header)
    if _EXPECTED.search(view.text) is not None:
        yield from _of_prompts(view)


def _of_header(view: FileView, header: MappingNode) -> Iterator[Report]:
    keys = {property_name(pair.key): pair.key for pair in header.pairs}
    for name in ("id", "configId"):
        if name in keys:
            known = "the file's path" if view.path is None else f"the file's path, here `{blueprint_id(view.path)}`"
            yield Report(keys[name].span, f"`{name}` has no effect: the id of a blueprint comes from {known}")
    if "defs" in keys:
        is_read = "point_defs" not in keys
        now = "`defs` is now called `point_defs`"
        yield Report(keys["defs"].span, now if is_read else "`defs` has no effect beside `point_defs`")
    coverage = coverage_of(header) if "evaluationConfig" in keys else None
    if coverage is not None:
        yield from _of_coverage(coverage)


def _of_coverage(coverage: MappingNode) -> Iterator[Report]:
    if (pair := coverage.pair("judgeModels")) is not None:
        is_read = coverage.pair("judges") is None
        now = "`judgeModels` is now `judges`, a list that gives each judge a `model` and an `approach`"
        yield Report(pair.key.span, now if is_read else "`judgeModels` has no effect beside `judges`")
    if (pair := coverage.pair("judgeMode")) is not None:
        yield Report(pair.key.span, "`judgeMode` has no effect any more: all judges grade, and their mean counts")


def _of_prompts(view: FileView) -> Iterator[Report]:
    found: dict[str, list[Pair]] = {}
    for prompt in view.blueprint.prompts:
        for name in _EXPECT:
            if (pair := prompt.node.pair(name)) is not None:
                found.setdefault(name, []).append(pair)
    for name, pairs in found.items():
        times = "" if len(pairs) == 1 else f", {len(pairs)} times in this file"
        yield Report(pairs[0].key.span, f"`{name}` is an old name of `should`{times}")
