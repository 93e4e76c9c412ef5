"""What can be written where the cursor stands, from the registry of functions and the table of keys. No I/O."""

from __future__ import annotations

from engine.completion.completing import complete
from engine.completion.names import names_in
from engine.completion.offer import Candidate, Completions, Kind, Known

__all__ = ["Candidate", "Completions", "Kind", "Known", "complete", "names_in"]
