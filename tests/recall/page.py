"""The page `docs/recall.md`: what is measured, how, and the table of both halves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from tests.recall.cases import Half
from tests.recall.outcomes import Outcome
from tests.recall.table import bars, table

HEAD = """\
# Recall

How many faults the rules find, and how often they warn of a text that only resembles one. Written by
`python -m tests.recall --write` on {day}, at commit {commit}.

The cases in `tests/recall` are {cases} small blueprints. {faults} have a fault, with the line where a report is wanted.
{clean} are clean and resemble a faulty one: quoted law, scales that the answer has to explain, blanks that the prompt
asks for, other languages, true alternatives. They were written from the descriptions of the pitfalls, from public
rubrics and from the methodology of surveys, by another hand than the rules and without a look at them. {split} of them
were split in two halves of the same spread: one is open to whoever works on a rule (*tuning*), the other is measured
and not read (*held apart*), so its figures say how the rules do on blueprints that they were not fitted to. The other
{added} were added to the open half alone, for forms that the first ones lack; so the halves differ in size and mixture,
and the sum of one is not to be held against the sum of the other.

Each case is checked as `studio check` does without settings. A fault is found if one of the rules that are right to
report it does so on its line, as a warning or an error. Some faults deserve no more than a hint: they are counted apart
(*hints wanted*), found at any level, and rules that are off by default take part. A clean text is warned of if it has
any warning or error at all.

Most cases on words were written for rules that read grammar. The rules on words are phrases now, and find less of them:
what a criterion means, such as two that exclude each other by their sense, no rule decides. `tests/phrases` measures
each family of phrases on 40 sentences and 40 look-alikes that were written before the phrases, by the same hand.

"""


def page(outcomes: Sequence[Outcome], day: date, commit: str) -> Iterator[str]:
    """The lines of the page for the outcomes of both halves."""
    clean = sum(not one.case.slugs for one in outcomes)
    added = sum(one.case.added for one in outcomes)
    head = HEAD.format(
        day=day.isoformat(),
        commit=commit,
        cases=len(outcomes),
        faults=len(outcomes) - clean,
        clean=clean,
        split=len(outcomes) - added,
        added=added,
    )
    yield from head.splitlines()
    yield from table(outcomes, list(Half))
    yield ""
    yield from (f"- {line}" for line in bars(outcomes, list(Half)))
