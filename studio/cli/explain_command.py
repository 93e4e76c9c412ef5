"""`studio explain`: the arithmetic of a score, in words and numbers."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, refuse, takes
from studio.cli.options import Explain


@click.command("explain")
@click.argument("file", type=FILE)
@takes(Explain)
def command(asked: Explain, file: Path) -> None:
    """Show the arithmetic of a score: of a prompt of the blueprint FILE, or of a Weval result file.

    `studio explain BLUEPRINT --prompt ID --ideal` runs the prompt first. `studio explain RESULT.json` explains a
    published result: where its score comes from, what was left out, and what changed in the blueprint since. Without
    --prompt, it lists the prompts by what they cost; --model names the key of a result.

    No judge is asked: stored verdicts of the judges on exactly this answer count, and other points in words are open.

    Checks by a service ($call, $factcheck) are sent as in `studio run`: only to a host that you allow, or allowed
    before. Until then, such a point is open. For a result file, nothing is sent.

    --target 85 adds the smallest sets of points that an answer would have to meet for 85, counted from the lowest score
    that is possible, and what keeps it from more.

    Exit code: 0 when explained; 1 when a request or a check failed, or when Weval refuses FILE; 2 for a usage or
    input error.
    """
    from engine.evaluation.results import is_result

    is_of_result = is_result(file)
    refuse(*["RESULT"] * is_of_result)  # what a blueprint needs is refused once it is read
    from studio.cli.explanations import explain_blueprint, explain_results

    (explain_results if is_of_result else explain_blueprint)(file, asked)
