"""Reference on the check or the problem at a place: a summary for a hover, or the whole page."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from engine.text.diagnostics import Diagnostic
from engine.yaml.nodes import MappingNode, SequenceNode, property_name, resolved
from studio.session.analysis import Analysis
from studio.session.host import Question

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall, Prompt
    from engine.evaluation.tool_use import Finding
    from engine.functions.point_function import PointFunction
    from engine.text.spans import Span

_PAGE_INDENT = "    "


class ReferencePage(Question[None]):
    """The page of a rule or a function: its name, the message here, the text, and the settings of the rule."""

    title: str
    message: str
    page: str
    level_line: str


def _check_at(analysis: Analysis, offset: int) -> tuple[FunctionCall, PointFunction] | None:
    """The check with `offset` on its first line, and its function; None without a known one."""
    from engine.functions import find

    prompt = analysis.prompt_at(offset)
    for point in prompt.points() if prompt is not None else ():
        call, start = point.function, point.span.start
        if call is not None and start <= offset <= point.span.end and "\n" not in analysis.parsed.text[start:offset]:
            function = find(call.name)
            return None if function is None else (call, function)
    return None


def rule_place(analysis: Analysis, prompt: Prompt, rule: Finding) -> Span | None:
    """Where a rule of the policy of tools is written that holds for `prompt`: the tool that it names, or its key."""
    from engine.evaluation.tool_use import PolicyKey
    from engine.parsing.fields import member

    if rule.key is PolicyKey.MAX_STEPS:
        mapping = member(analysis.parsed.blueprint.header.node, "toolUse")
    else:
        mapping = prompt.node
    pair = mapping.pair(rule.key) if isinstance(mapping, MappingNode) else None
    if pair is None:
        return None
    listed = resolved(pair.value)
    items = listed.items if isinstance(listed, SequenceNode) and rule.tool is not None else ()
    return next((item.span for item in items if property_name(item) == rule.tool), pair.key.span)


def summary_at(analysis: Analysis, offset: int) -> str | None:
    """The argument and summary of the check at `offset`, with remarks on this call; None without a known one."""
    from engine.functions.pages import remarks

    if (found := _check_at(analysis, offset)) is None:
        return None
    call, function = found
    return "\n".join((f"${call.name}: {function.argument}", function.summary, *remarks(call)))


def page_of_check(analysis: Analysis, offset: int) -> ReferencePage | None:
    """The page of the check at `offset`; None without a known one."""
    from engine.functions.pages import page

    if (found := _check_at(analysis, offset)) is None:
        return None
    title, _, rest = page(found[1]).partition("\n")
    return ReferencePage(title, "", indent(rest.strip("\n"), _PAGE_INDENT), "")


def page_of_rule(diagnostic: Diagnostic) -> ReferencePage | None:
    """The page of the rule that reported `diagnostic`; None if no rule did."""
    from engine.rules.registry import rule_named
    from engine.rules.rule import level_line, reference_page

    rule = rule_named(diagnostic.slug)
    if rule is None:
        return None
    return ReferencePage(rule.heading, diagnostic.message, reference_page(rule), level_line(rule))


def title_of(diagnostic: Diagnostic) -> str:
    """What the slug of `diagnostic` means in plain words; empty where the slug says it."""
    from engine.rules.registry import rule_named

    rule = rule_named(diagnostic.slug)
    return "" if rule is None else rule.title


def heading_of(diagnostic: Diagnostic) -> str:
    """The title of the rule of `diagnostic` with its slug, or the slug alone."""
    title = title_of(diagnostic)
    return f"{title} ({diagnostic.slug})" if title else diagnostic.slug


def explained(diagnostic: Diagnostic) -> str:
    """The title of the rule where it has one, the message, and on the next line the reason."""
    title = title_of(diagnostic)
    head = f"{title}: {diagnostic.message}" if title else diagnostic.message
    return f"{head}\n{diagnostic.why}".strip()
