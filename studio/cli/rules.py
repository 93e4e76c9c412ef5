"""`studio rules [SLUG]`: the reference pages of the pitfalls."""

from __future__ import annotations

import shutil
import textwrap

import click


@click.command("rules", short_help="The pitfalls that are looked for, and why they matter.")
@click.argument("slug", required=False)
def command(slug: str | None) -> None:
    """List the pitfalls, or print all about one of them.

    SLUG is a rule's name, such as quoted-function, or its code, such as Y003. Exit code 2 where there is no such rule.
    """
    from engine.rules import ALL
    from engine.text import visible

    if slug is None:
        click.echo(overview())
        return
    rule = next((rule for rule in ALL if slug.lower() in (rule.slug, rule.code.lower())), None)
    if rule is None:
        raise click.UsageError(visible(no_such_rule(slug)))
    level = rule.severity.value
    click.echo(f"{rule.page.rstrip()}\n\nLevel: {level}. Code: {rule.code}.")


def overview() -> str:
    """Every rule with its code, name, level and first sentence, grouped by family, as wide as the terminal."""
    from engine.rules import ALL

    families = {"Y": "YAML traps", "S": "Structure and fields", "R": "Rubric logic", "F": "Functions"}
    names = max(len(rule.slug) for rule in ALL)
    width = max(72, min(120, shutil.get_terminal_size((120, 24)).columns))
    lines: list[str] = []
    for letter, family in families.items():
        lines += ["", family]
        for rule in ALL:
            if rule.code.startswith(letter):
                head = f"  {rule.code}  {rule.slug:<{names}}  {rule.severity.value:<7}  "
                lines.append(textwrap.fill(rule.summary, width, initial_indent=head, subsequent_indent=" " * len(head)))
    return "\n".join([*lines[1:], "", "`studio rules SLUG` prints the page of one."])


def no_such_rule(slug: str) -> str:
    """What to say of a name that no rule has, with the nearest ones."""
    from difflib import get_close_matches

    from engine.rules import ALL

    near = get_close_matches(slug.lower(), [rule.slug for rule in ALL], n=2, cutoff=0.6)
    meant = f" Did you mean {' or '.join(near)}?" if near else " `studio rules` lists them."
    return f"There is no rule “{slug}”.{meant}"
