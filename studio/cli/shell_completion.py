"""What the shell completes in arguments and options: the names of rules and of point functions."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The slugs and codes of rules that begin with the last of several names, each with what the rule looks for.

    Names are separated by commas. Those that stand there already are left out; codes are offered once a capital letter
    is typed.
    """
    from engine.rules.registry import ALL

    before, comma, start = incomplete.rpartition(",")
    earlier = ctx.params.get(param.name or "")
    several = [before, *(earlier if isinstance(earlier, tuple | list) else ())]
    taken = {name.strip().lower() for each in several for name in str(each).split(",")}
    by_code = start[:1].isupper()
    return [
        CompletionItem(f"{before}{comma}{rule.code if by_code else rule.slug}", help=rule.summary)
        for rule in ALL
        if (rule.code if by_code else rule.slug).startswith(start) and not taken & {rule.slug, rule.code.lower()}
    ]


def complete_functions(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of point functions that begin so, with a `$` if that is typed."""
    from engine.functions import ALL

    sign = "$" if incomplete.startswith("$") else ""
    return [
        CompletionItem(f"{sign}{name}", help=function.summary)
        for function in ALL
        for name in function.names
        if name.startswith(incomplete.removeprefix("$"))
    ]
