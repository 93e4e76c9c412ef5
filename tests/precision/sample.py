"""A spread sample of one rule's reports, each with what stands around it, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.text.spans import LineIndex, visible
from tests.precision.reports import Found
from tests.precision.verdicts import Judged


def spread(found: Sequence[Found], most: int) -> list[Found]:
    """At most `most` of the reports, evenly over their order; all of them where they are fewer."""
    if len(found) <= most:
        return list(found)
    return [found[index * len(found) // most] for index in range(most)]


def told(report: Found, judged: Judged | None, around: int) -> Iterator[str]:
    """The report, what is underlined, the stored verdict, and the prompt with `around` lines on each side."""
    one = report.diagnostic
    yield f"=== {report.file}:{report.line}  {report.slug}  {report.level}{'  flagged' if one.flagged else ''}"
    yield f"    «{visible(report.text)}»"
    yield f"    {visible(one.message)}"
    for fix in one.fixes:
        yield f"    fix ({'safe' if fix.safe else 'unsafe'}): {fix.title}"
    if judged is not None:
        yield f"    VERDICT {judged.verdict}: {judged.reason}"
    yield from _prompt(report)
    yield from _source(report, around)
    yield ""


def _prompt(report: Found) -> Iterator[str]:
    prompt = report.parsed.blueprint.prompt_at(report.diagnostic.span.start)
    if prompt is None:
        yield "    (header)"
        return
    yield f"    prompt {prompt.id!r}, {len(prompt.points())} points"
    for message in prompt.messages[-2:]:
        content = "(to be generated)" if message.content is None else " ".join(message.content.split())
        yield f"    {message.role}: {visible(content)[:400]}"


def _source(report: Found, around: int) -> Iterator[str]:
    lines = LineIndex(report.parsed.text)
    first = max(0, report.line - 1 - around)
    last = min(lines.line_count, report.line + around)
    for number in range(first, last):
        mark = ">" if number == report.line - 1 else " "
        yield f"  {mark} {number + 1:>5} {visible(lines.line(number))[:300]}"
