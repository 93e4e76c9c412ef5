"""The actions of the matrix."""

from __future__ import annotations

from studio.tui.action import Action, Place

COMPARISON_ACTIONS: tuple[Action, ...] = (
    Action(
        "open_cell",
        "Open this result",
        "enter",
        "Leaves the matrix and shows the criteria and the answer of the selected prompt and model.",
        Place.MATRIX,
        footer="open",
    ),
    Action(
        "sort",
        "Sort the rows",
        "s",
        "The greatest spread first, the greatest cost first, or as in the file.",
        Place.MATRIX,
        footer="sort",
    ),
    Action(
        "switch",
        "Switch between prompts and criteria",
        "tab",
        "All prompts × answers, or the criteria of the selected prompt × answers.",
        Place.MATRIX,
        footer="criteria/prompts",
    ),
    Action(
        "second_run",
        "Lay a second result under this one",
        "c",
        "The runs before these, another answer or an earlier run of the prompt, or a result file: cells then show the "
        "difference and its cause (answer, rubric or verdict). Again: takes it away. Nothing is sent.",
        Place.MATRIX,
        footer="compare",
    ),
    Action(
        "close_verdicts",
        "Have the missing verdicts judged",
        "J",
        "Asks judges for the verdicts that the comparison of the selected answers lacks, with recipients and price "
        "first. The ranges close.",
        Place.MATRIX,
        footer="ask judges",
    ),
    Action("leave", "Leave the matrix", "escape", "Back to the blueprint.", Place.MATRIX, footer="back"),
    Action(
        "difference",
        "Show differences between models",
        "d",
        "Each column less the selected one; again, each less the mean of the others; again, the scores. The parts of "
        "the criteria add up to the difference of the prompt, and those of the prompts to that of the means.",
        Place.MATRIX,
        footer="difference",
    ),
    Action(
        "judge",
        "Show the scores under each judge alone",
        "w",
        "The scores that the verdicts of one judge alone would give; then of the next judge, then of all together. "
        "A criterion that the judge did not judge is open.",
        Place.MATRIX,
        footer="each judge",
    ),
)
