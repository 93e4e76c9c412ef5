"""The bundled example and the templates, as files beside this one."""

from __future__ import annotations

from pathlib import Path

from engine.text.record import Record


class Sample(Record):
    """A blueprint that comes with the studio: its file, what it is called, and what it teaches.

    `placeholder` is the first text in it that an author replaces.
    """

    file: str
    title: str
    teaches: str
    placeholder: str = ""


EXAMPLE = Sample(
    "tenants-rights.yml",
    "Tenants' rights",
    "Five prompts on renting a home. Four of them have a mistake that real blueprints make: alternatives that weigh "
    "as much as all required criteria, a check in quotes that never runs, a negative that can be read two ways, "
    "and a criterion that became a citation. F8 goes to each of them, F5 shows what it costs.",
)

_TITLE = "A title that says what is evaluated"

TEMPLATES = (
    Sample("template-questions.yml", "Questions", "one question, one rubric", _TITLE),
    Sample("template-sources.yml", "Evidence first", "criteria with sources", _TITLE),
    Sample("template-conversation.yml", "Conversation", "several turns", _TITLE),
)


def read(file: str) -> str:
    """The text of a sample."""
    return (Path(__file__).parent / file).read_text("utf-8")
