"""Completions at the cursor, from the registry of functions and the table of keys. No I/O."""

from __future__ import annotations

from engine.completion.completer import complete
from engine.completion.completion_candidates import Candidate, Completions, Kind, Known, names_in

__all__ = ["Candidate", "Completions", "Kind", "Known", "complete", "names_in"]
