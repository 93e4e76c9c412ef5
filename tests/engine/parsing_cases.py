"""Short blueprints to parse, and what was found in them."""

from __future__ import annotations

from engine.blueprint import Prompt, Rubric
from engine.parsing import Parsed, parse
from engine.parsing.demands import Finding, Kind

LIST = "- id: a\n  prompt: x\n- id: b\n  prompt: y\n"
THREE_LEVELS = "[[a, b], [c]]"


def prompt(body: str, header: str = "") -> Prompt:
    """The only prompt of a file that begins with `header`; `body` are its lines below `id` and `prompt`."""
    [only] = parse(header + one(body)).blueprint.prompts
    return only


def one(body: str) -> str:
    return "- id: p1\n  prompt: hi\n" + "".join(f"  {line}\n" for line in body.splitlines())


def should(*items: str) -> str:
    return one("should:\n" + "\n".join(f"  - {item}" for item in items))


def rubric(*items: str, header: str = "") -> Rubric:
    [only] = parse(header + should(*items)).blueprint.prompts
    assert only.should is not None
    return only.should


def underlined(text: str, kind: Kind) -> list[str]:
    return [finding.span.of(text) for finding in of_kind(parse(text), kind)]


def of_kind(parsed: Parsed, kind: Kind) -> list[Finding]:
    return [finding for finding in parsed.findings if finding.kind is kind]
