"""`studio rules [SLUG]`: the reference pages of the rules."""

from __future__ import annotations

import shutil
import textwrap

import click

from studio.cli.frame import complete_rules


@click.command("rules")
@click.argument("slug", required=False, shell_complete=complete_rules)
def rules_command(slug: str | None) -> None:
    """List the rules, or show the page of one.

    SLUG is the name of a rule, such as quoted-function, or its code, such as Y003.
    """
    from engine.rules.registry import no_such_rule, retired_named, retirement, rule_named
    from engine.rules.rule import level_line, reference_page
    from engine.text.spans import visible

    if slug is None:
        click.echo(overview())
        return
    if (rule := rule_named(slug)) is not None:
        click.echo(f"{reference_page(rule)}\n{level_line(rule)}")
    elif (retired := retired_named(slug)) is not None:
        click.echo(retirement(retired))
    else:
        raise click.UsageError(visible(no_such_rule(slug)))


def overview() -> str:
    """Every rule with its code, name, level and first sentence, grouped by family, as wide as the terminal."""
    from engine.rules.registry import ALL, FAMILIES

    names = max(len(rule.slug) for rule in ALL)
    width = max(72, min(120, shutil.get_terminal_size((120, 24)).columns))
    lines: list[str] = []
    for family in FAMILIES:
        lines += ["", FAMILIES[family]]
        for rule in ALL:
            if rule.family == family:
                head = f"  {rule.code}  {rule.slug:<{names}}  {'off' if rule.off else rule.severity.value:<7}  "
                lines.append(textwrap.fill(rule.summary, width, initial_indent=head, subsequent_indent=" " * len(head)))
    return "\n".join([*lines[1:], "", "`studio rules SLUG` shows the page of a rule."])
