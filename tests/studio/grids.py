"""A file with several answers to each of its prompts, for tests of the grid."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from engine.evaluation.sources import AnswerSource, ControlKind, ControlSource, IdealSource
from studio.session.run_configuration import AnswerChoice
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import analysis_of, runs_of, settle

TENANCY = """\
title: Tenancy
---
- id: deposit
  prompt: When must a deposit be protected, and what does the tenant get?
  ideal: Within 30 days. The tenant gets the prescribed information.
  should:
    - $icontains: 30 days
    - $icontains: prescribed information
    - $icontains: deposit
- id: notice
  prompt: How much notice must a landlord give before a visit?
  ideal: 24 hours, in writing.
  should:
    - $icontains: 24 hours
    - $icontains: writing
- id: repairs
  prompt: Who repairs the boiler?
  ideal: The landlord repairs it.
  should:
    - $icontains: landlord
  should_not:
    - $icontains: tenant
"""

SOURCES: tuple[AnswerSource, ...] = (IdealSource(), ControlSource(ControlKind.ECHO), ControlSource(ControlKind.EMPTY))
"""The ideals score 67, 100 and 100; the prompts repeated 67, 0 and 50; empty answers 0, 0 and 50."""


async def with_answers(pilot: Pilot[Any], sources: tuple[AnswerSource, ...] = SOURCES) -> BlueprintScreen:
    """Answer every prompt from each source; the cursor is in the header."""
    screen = await settle(pilot)
    runs = runs_of(screen)
    await runs.configuration.choose(AnswerChoice(sources))
    analysis = analysis_of(screen)
    candidates = runs.configuration.candidates(analysis.header)
    several = [runs.new_run(analysis, prompt, each) for prompt in analysis.blueprint.prompts for each in candidates]
    await runs.starts.launch(analysis, several)  # pyright: ignore[reportPrivateUsage]  # as F5 does, for all prompts at once
    return await settle(pilot)
