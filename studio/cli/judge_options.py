"""The options that say whose verdicts count, and the judges that they select."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from engine.text.record import Record
from engine.text.spans import visible
from studio.cli.unusable import Unusable

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.judging.panel import JudgesAs, Panel
    from engine.scoring.explanation import Explanation


class Counted(Record):
    """The values of the options: which judges count, whether what is stored is left out, and whether judges are asked
    again."""

    judges_as: str | None = None
    no_stored: bool = False
    judge_again: bool = False

    @property
    def panel(self) -> JudgesAs:
        """The choice of judges."""
        from engine.judging.panel import JudgesAs

        return JudgesAs.WEVAL_TODAY if self.judges_as == "weval" else JudgesAs.DOCUMENTED


_OPTIONS = (
    click.option(
        "--judges-as",
        type=click.Choice(["documented", "weval"]),
        help="Default judges, scale and backup as documented, or as Weval has them today. Only their verdicts count.",
    ),
    click.option(
        "--no-stored",
        is_flag=True,
        help="Leave out the verdicts and grades stored on this machine: the score is the same on every machine.",
    ),
)

judging_option = click.option(
    "--judge",
    type=click.Choice(["off", "configured"]),
    default="off",
    help="Who judges points in words: nobody, or the judges of the blueprint (else the default ones).",
)
again_option = click.option(
    "--judge-again", is_flag=True, help="Send every request to judges again, even if its verdict is known."
)


def counted_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command takes them by the names of the fields of `Counted`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


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

    options = {"weval-today": "--judges-as weval", "documented": "--judges-as documented"}
    text = others_text((other for each in explanations for other in each.others), options)
    if text:
        click.echo(visible(text), err=True)
