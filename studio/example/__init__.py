"""The bundled example and the templates, as files beside this one."""

from __future__ import annotations

from pathlib import Path

from engine.text.record import Record


class Sample(Record):
    """A blueprint that comes with the studio: its file, what it is called, and what it teaches."""

    file: str
    title: str
    teaches: str


EXAMPLE = Sample(
    "tenants-rights.yml",
    "Tenants' rights",
    "Five prompts on renting a home. Four of them have a mistake that real blueprints make: alternatives that weigh "
    "as much as all required points, a check in quotes that never runs, a negative point that can be read two ways, "
    "and a criterion that became a citation. F8 goes to each of them, F5 shows what it costs.",
)

TEMPLATES = (
    Sample("template-questions.yml", "Questions", "one question, one rubric"),
    Sample("template-sources.yml", "Evidence first", "points with sources"),
    Sample("template-conversation.yml", "Conversation", "several turns"),
)


def read(file: str) -> str:
    """The text of a sample."""
    return (Path(__file__).parent / file).read_text("utf-8")
