"""The events of an evaluation of one prompt with one source, in the order in which they occur."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint.conversation import Stop, ThreadTurn, worst
from engine.models.chat import Knob, Usage
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.text.record import Record

if TYPE_CHECKING:  # only runs with judges load judging
    from engine.judging.judge_runner import JudgeAnswered
    from engine.judging.judgement import Agreement, Consensus

NOTHING_COUNTED = Usage()


class Response(Record):
    """The whole answer: the thread, and the subject text that is judged.

    `subject` joins the generated turns by a blank line (002, "Sequential multi-turn"). `seconds` is the wall time of
    all requests, None where nothing was requested. `complete`: no turn was ended by the author or a lost connection.
    `reused`: every turn was cached, and nothing was sent. `ignored` are settings that the model does not take,
    `token_limit` the token limit of a turn, None where it is Weval's.
    """

    subject: str
    thread: tuple[ThreadTurn, ...]
    model: str | None = None
    seconds: float | None = None
    usage: Usage = NOTHING_COUNTED
    complete: bool = True
    reused: bool = False
    ignored: tuple[Knob, ...] = ()
    token_limit: int | None = None

    @property
    def ignores_temperature(self) -> bool:
        """Whether the answer came at another temperature than requested."""
        return Knob.TEMPERATURE in self.ignored

    @property
    def stop(self) -> Stop | None:
        """Why the answer ended: the worst reason of its generated turns, None where none is known."""
        return worst(turn.stop for turn in self.thread if turn.generated)

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld the answer, which is then never scored."""
        return self.stop is not None and self.stop.is_withheld

    @property
    def cut(self) -> str:
        """How the answer was cut short, to show beside its score: `cut off at the token limit`; "" for a whole answer.

        An answer that was withheld counts as cut short.
        """
        if self.stop is not None and self.stop.is_cut:
            return self.stop.label
        return "" if self.complete else "stopped before its end"


class Delta(Record):
    """The next piece of the turn that is being generated; `turn` counts the generated turns of the thread from 0.

    An empty piece starts a turn: the one before it is whole.
    """

    turn: int
    text: str


class Responded(Record):
    """The answer is complete; checks and judges follow."""

    response: Response


class Assessed(Record):
    """One point was assessed, or could not be; `index` is its place in `Prompt.points()`."""

    index: int
    assessment: Assessment


class Scored(Record):
    """The end of a run without judges: all assessments in the order of `Prompt.points()`, and the explanation."""

    response: Response
    assessments: tuple[Assessment, ...]
    explanation: Explanation


class JudgingBegan(Record):
    """Checks and the author's grades are done, and judges are asked about open points.

    `scored` is the score until they reply, `waiting` the places in `Prompt.points()` of the points they judge.
    """

    scored: Scored
    waiting: tuple[int, ...]


class PointAssessed(Record):
    """One point was judged, or could not be; `index` is its place in `Prompt.points()`.

    `assessments` and `explanation` are the current ones of all points, with the bounds that open points leave.
    """

    index: int
    consensus: Consensus
    assessments: tuple[Assessment, ...]
    explanation: Explanation

    @property
    def assessment(self) -> Assessment:
        """The assessment of this point."""
        return self.assessments[self.index]


class AllJudged(Record):
    """The end of a run with judges: the score with all verdicts, the verdicts by point, and how far judges agree."""

    scored: Scored
    points: Mapping[int, Consensus]
    agreement: Agreement | None


class Failed(Record):
    """The end of a run without a score: what happened, the server's message (untrusted), what to do.

    `partial` is the part of the answer that arrived. `stopped`: the author ended the run, and nothing went wrong.
    `stop` is why an answer ended that cannot be used: it is empty, or a filter withheld it.
    """

    title: str
    detail: str = ""
    advice: str = ""
    partial: Response | None = None
    stopped: bool = False
    stop: Stop | None = None

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld the answer."""
        return self.stop is not None and self.stop.is_withheld


Event: TypeAlias = (
    "Delta | Responded | Assessed | Scored | Failed | JudgingBegan | JudgeAnswered | PointAssessed | AllJudged"
)
"""A run ends with one `Scored`, with one `AllJudged` where there are judges, or with one `Failed`."""
