"""The judges that the options of a command select."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.judging.panel import Panel


def panel_of(header: Header, judges_as: str) -> Panel:
    """The judges of a blueprint, by the value of `--judges-as`. Raises `Unusable` if there are none."""
    from engine.judging.panel import panel
    from engine.judging.scale import JudgesAs

    found = panel(header, JudgesAs.DOCUMENTED if judges_as == "documented" else JudgesAs.WEVAL_TODAY)
    if not found.judges:
        raise Unusable(f"There is no judge to ask: {'; '.join(found.left_out)}.")
    return found
