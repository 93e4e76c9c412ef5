"""What problems of the published blueprints do to scores: `python -m tests.corpus_report` prints a row a rule.

A row has the prompt on which the rule's problem changes the score most, both scores (0–100), and in how many prompts it
changes one at all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from engine.functions.v8 import JavaScript
from engine.rules.selection import EVERYTHING
from tests.corpus_report.effects import Example, effects, examples
from tests.precision.reports import reports
from tests.world import NO_CORPUS, corpus_files


def table(found: list[Example]) -> Iterator[str]:
    """The rows, in Markdown."""
    yield "| rule | score | prompts | where it is most | the answer |"
    yield "|---|--:|--:|---|---|"
    for example in found:
        effect, shown_by = example.effect, example.effect.shown_by
        first = effect.reports[0]
        scores = f"{effect.before * 100:.4g} {'to' if shown_by.is_open else '→'} {effect.after * 100:.4g}"
        yield f"| `{effect.slug}` | {scores} | {example.prompts} | `{first.file}`:{first.line} | {shown_by.answer} |"


def main() -> int:
    """Print the table; 2 where there is no corpus."""
    if not corpus_files():
        print(NO_CORPUS, file=sys.stderr)
        return 2
    found = reports(EVERYTHING.rules())
    with JavaScript() as javascript:
        print("\n".join(table(examples(effects(found, javascript)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
