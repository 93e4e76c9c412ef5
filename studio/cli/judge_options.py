"""The options that say whose verdicts count, and the judges that they select."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from studio.cli.frame import Unusable, flag, option, tell

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.judging.panel import JudgesAs, Panel
    from engine.scoring.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Counted:
    """Whose verdicts count, and whether what is stored is left out. Judges are asked again only by `Judges`."""

    judges_as: str | None = option(
        "--judges-as",
        type=click.Choice(["documented", "weval"]),
        help="Default judges, scale and backup as documented, or as Weval has them today. Only their verdicts count.",
    )
    no_stored: bool = flag(
        "--no-stored",
        help="Leave out the verdicts and grades stored on this machine: the score is the same on every machine.",
    )
    judge_again: bool = False

    @property
    def panel(self) -> JudgesAs:
        """The choice of judges."""
        from engine.judging.panel import JudgesAs

        return JudgesAs.WEVAL_TODAY if self.judges_as == "weval" else JudgesAs.DOCUMENTED


@dataclass(frozen=True, slots=True)
class Judges(Counted):
    """Who judges, beside whose verdicts count."""

    judge: str = option(
        "--judge",
        type=click.Choice(["off", "configured"]),
        default="off",
        help="Who judges points in words: nobody, or the judges of the blueprint (else the default ones).",
    )
    judge_again: bool = flag("--judge-again", help="Send every request to judges again, even if its verdict is known.")

    def __post_init__(self) -> None:
        if self.judge_again and not self.are_asked:
            raise click.UsageError("--judge-again goes with --judge configured.")

    @property
    def are_asked(self) -> bool:
        """Whether judges are asked about what is open."""
        return self.judge == "configured"


def panel_of(header: Header, counted: Counted) -> Panel:
    """The judges of a blueprint. Raises `Unusable` if there are none."""
    from engine.judging.panel import panel

    found = panel(header, counted.panel)
    if not found.judges:
        raise Unusable(f"There is no judge to ask: {'; '.join(found.left_out)}.")
    return found


def report_others(explanations: Iterable[Explanation]) -> None:
    """Name the judges whose stored verdicts do not count, in one line on stderr."""
    from engine.scoring.explanation_text import others_text

    named = {"weval-today": "--judges-as weval", "documented": "--judges-as documented"}
    text = others_text((other for each in explanations for other in each.others), named)
    if text:
        tell(text)
