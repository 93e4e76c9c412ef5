"""Notes on an answer that affect how far its score can be trusted: how it ended, think blocks, settings not used.

Weval's clients read the text of an answer and not why it ended, so cut and withheld answers are scored there like any
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.think_blocks import ThinkBlocks, think_blocks
from engine.providers.chat import MORE_TOKENS, USUAL_MAX_TOKENS, Standing, Stop, StopReason
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_text import listed, point_label
from engine.yaml_nodes.nodes import Data

_MAX_NAMED = 3


def answer_marks(response: Response) -> tuple[str, ...]:
    """The notes to show beside a score, in a few words each: `cut off at the token limit`, `with a <think> block`."""
    blocks = think_blocks(response.subject, response.thread)
    marks = (response.cut, "" if blocks is None else f"with a {blocks.tag} block")
    return tuple(mark for mark in marks if mark)


def answer_notes(response: Response, assessments: Sequence[Assessment] = ()) -> tuple[str, ...]:
    """The notes on stop reasons and think blocks in sentences: the effect on the score, and what to do."""
    blocks = think_blocks(response.subject, response.thread)
    thinking = () if blocks is None else _think_block_notes(blocks, assessments)
    return (*_stop_notes(response), *thinking)


def setting_notes(response: Response, model: str) -> Iterator[str]:
    """A sentence for each setting that differs from the request: an ignored temperature, a token limit unlike Weval's.

    `model` is the id under which the answer was requested.
    """
    if response.ignores_temperature:
        yield f"{model} ignores temperature: the answer came at the model's own."
    if response.token_limit is not None:
        yield f"The answer could have {response.token_limit:,} tokens. Weval allows {USUAL_MAX_TOKENS:,}."


def answer_json(response: Response) -> dict[str, Data]:
    """`stopReason` and `thinkBlocks` for result JSON, each absent where it does not apply.

    `engine.evaluation.coverage_result` documents their form; the share of think blocks is 0–1 of the text.
    """
    data: dict[str, Data] = {}
    stop = response.stop
    if stop is not None:
        turns = [turn.stop for turn in response.thread if turn.generated]
        reasons: list[Data] = [None if each is None else each.reason.value for each in turns]
        data["stopReason"] = {**stop_json(stop), "turns": reasons}
    blocks = think_blocks(response.subject, response.thread)
    if blocks is not None:
        data["thinkBlocks"] = {
            "count": len(blocks.spans),
            "tag": blocks.tag,
            "closed": blocks.closed,
            "words": blocks.words,
            "share": round(blocks.share, 4),
        }
    return data


def stop_json(stop: Stop) -> dict[str, Data]:
    """One stop reason for result JSON, without the `turns`."""
    cut = stop.reason.standing in (Standing.CUT, Standing.WITHHELD)
    return {"reason": stop.reason.value, "word": stop.word, "cut": cut, "text": stop.label}


def read_stop(data: Data) -> Stop | None:
    """The stop reason in result JSON that `stop_json` wrote; None for anything else."""
    fields = data if isinstance(data, dict) else {}
    reason, word = fields.get("reason"), fields.get("word")
    if not isinstance(reason, str) or reason not in list(StopReason):
        return None
    return Stop(StopReason(reason), word if isinstance(word, str) else "")


def _stop_notes(response: Response) -> Iterator[str]:
    """One note for each turn that did not end normally."""
    turns = [turn for turn in response.thread if turn.generated]
    for number, turn in enumerate(turns, 1):
        yield from _stop_note(turn, "The answer" if len(turns) == 1 else f"Turn {number} of {len(turns)}")
    if not response.complete and not response.withheld:
        yield "The answer was stopped before its end, and is scored as far as it came."


def _stop_note(turn: ThreadTurn, which: str) -> Iterator[str]:
    if turn.stop is None:
        return
    label = turn.stop.label
    match turn.stop.reason:
        case StopReason.LENGTH:
            yield (
                f"{which} was {label}: what is missing counts as not said. Weval scores it without a warning. "
                f"Ask for a shorter answer, or allow more. {MORE_TOKENS}"
            )
        case StopReason.INTERRUPTED:
            yield f"{which} was {label}: what is missing counts as not said. Run it again."
        case StopReason.TOOL_CALL:
            yield f"{which} {label}, and tools are not run here: it may not be whole. Ask for the call in words."
        case StopReason.NOT_GIVEN:
            yield f"{which} {label}: the server does not say whether it is whole."
        case StopReason.OTHER:
            yield f"{which} {label}: it may not be whole."
        case StopReason.REFUSAL:
            yield f"{which} was {label}, and is scored as such. On Weval it is an empty answer."
        case StopReason.STOP | StopReason.SEQUENCE | StopReason.WITHHELD:
            return


def _think_block_notes(blocks: ThinkBlocks, assessments: Sequence[Assessment]) -> Iterator[str]:
    several = len(blocks.spans)
    what = f"a {blocks.tag} block" if several == 1 else f"{several} blocks such as {blocks.tag}"
    words = "1 word" if blocks.words == 1 else f"{blocks.words:,} words"
    is_open = "" if blocks.closed else ", not closed"
    yield (
        f"The answer thinks aloud in {what} ({words}, {blocks.share:.0%} of its text{is_open}). It is scored as it "
        "stands, as on Weval: checks and judges read that part too. To score the rest alone, turn thinking off for "
        "this model, have its server send thoughts apart, or take them out of the answer by hand."
    )
    resting = [point_label(each.point) for each in assessments if blocks.contain(each.evidence)]
    if resting:
        more = f" and {len(resting) - _MAX_NAMED} more" if len(resting) > _MAX_NAMED else ""
        named = ", ".join(resting[:_MAX_NAMED]) + more if more else listed(resting)
        verb = "rests" if len(resting) == 1 else "rest"
        yield f"{named} {verb} on what is thought aloud alone."
