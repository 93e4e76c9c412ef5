"""Processes that begin with the studio imported, so that each costs no start of Python."""

from __future__ import annotations

import multiprocessing

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["tests.fire.studio_process", "tests.fire.saving_process", "studio.session.runs", "engine.asking.planner"]
)
