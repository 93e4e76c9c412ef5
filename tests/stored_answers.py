"""Answers of several models in the database, as if they had been run in earlier sessions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from engine.blueprint import Prompt
from engine.blueprint.conversation import conversation, subject_text
from engine.evaluation.events import Response
from engine.parsing import parse
from engine.store import PromptPlace, Store

RENT = """\
title: Tenancy
---
- id: rent
  prompt: How much notice must a landlord give before a rent increase?
  ideal: At least three months, in writing. The tenant may object.
- id: visit
  prompt: And before a visit?
"""
"""A blueprint without a rubric yet."""

ANSWERS = {
    "openai:gpt-4o-mini": (
        "Your landlord must give notice in writing. The notice period is three months.\n\n"
        "- You may object within that time.\n- Ask a tenants' union for help."
    ),
    "own:beta[temp:0.7]": "It depends. Your landlord can raise the rent at any time, and you have to pay.",
    "own:gamma": "I am not a lawyer. **Three months** is usual. Keep the letter!",
}
"""Answers to its first prompt, by the keys of their sources, the newest last."""


def answered(path: Path, text: str = RENT, answers: Mapping[str, str] = ANSWERS, *, prompt: int = 0) -> Path:
    """The file at `path` with `text`, whose prompt has these answers in the database."""
    path.write_bytes(text.encode())
    parsed = parse(text, path)
    of = parsed.blueprint.prompts[prompt]
    with closing(Store()) as store:
        for source, answer in answers.items():
            store.save_response(PromptPlace.of(path, of), source, response(of, path, answer))
    return path


def response(prompt: Prompt, path: Path, *answers: str) -> Response:
    """A complete response with these generated turns."""
    header = parse(path.read_text("utf-8"), path).blueprint.header
    thread = conversation(prompt, header).answered(answers)
    return Response(subject_text(thread), thread)
