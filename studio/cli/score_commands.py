"""The commands that score, judge and compare: their options and their help. Their work is imported when called."""

from __future__ import annotations

from pathlib import Path

import click

from studio.cli.frame import FILE, gone, refuse, takes
from studio.cli.options import Compared, Diff, Drafted, Explain, Grading, Reported, Reviewed, RunOptions, Tested


@click.command("run")
@click.argument("file", type=FILE)
@takes(RunOptions)
@gone("--compare", "--compare was removed: models are compared on one prompt, by --prompt and --repeat.")
def run_command(asked: RunOptions, file: Path) -> None:
    """Run the prompts of FILE with one source of answers, and show the scores and the reasons for them.

    The result begins with the score of the blueprint, and has one line for each prompt. Points and arithmetic are shown
    for a single prompt, and with --details for all.

    Progress goes to stderr, the result to stdout. Recipients and costs are shown before anything is sent. Answers and
    verdicts are cached as they arrive: a run that was interrupted, or reached its limit, continues where it stopped.

    With --repeat or --judge-repeat, the variation of generation and of judging is shown in place of the arithmetic. For
    one prompt and several models, an exact permutation test compares them, from 4 answers a side on.

    Stored verdicts of the judges, and your grades, count too; --no-stored leaves them out.

    If Weval refuses FILE, the reason is shown and the prompts run all the same. A prompt that a YAML error cuts off
    does not run.

    Exit code: 0 when every prompt is scored; 1 when a request or a check failed, when no judge judged a point, or
    when Weval refuses FILE; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.runs import run_prompts

    raise SystemExit(run_prompts(file, asked))


@click.command("explain")
@click.argument("file", type=FILE)
@takes(Explain)
def explain_command(asked: Explain, file: Path) -> None:
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


@click.command("test")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(Tested)
def test_command(asked: Tested, files: tuple[Path, ...]) -> None:
    """Score the answers in FILE.yml.cases by the rubrics of FILE.yml, and compare the scores with what is expected.

    A case passes if every score that is still possible lies in its range, and fails if every one lies outside; else it
    is undecided. Checks run, and grades and verdicts in the case file count, as do verdicts that are cached here.
    Checks by a service are not sent, so they leave a case undecided. A case with a label alone counts in pairs: each
    good answer should score higher than each bad one to the same prompt.

    Exit code: 0 when all pass; 1 when a case fails, a pair is ranked wrongly, or none could be decided; 2 for a usage
    or input error, if a case cannot be read, or if there are no cases.
    """
    refuse()
    from studio.cli.cases import tested

    tested(files, asked)


@click.command("compare")
@click.argument("file", type=FILE, metavar="FILE")
@click.argument("new", type=FILE, metavar="[NEW]", required=False)
@takes(Compared)
def compare_command(asked: Compared, file: Path, new: Path | None) -> None:
    """Compare the models in a result file FILE, or the result files FILE and NEW.

    Result files are those that `--json` of a run writes and those that Weval publishes. FILE alone is shown as a
    grid: prompts × models, or, with one --prompt, its criteria × models.

    With NEW, each result is compared with the one of the same prompt and model in FILE: the scores, and whether the
    answer, the rubric or a verdict on the same question is another one. With --prompt also the old answer on the new
    rubric, the new answer on the old one, the criteria and the words of the answers. Checks run; nothing is sent.
    Missing verdicts leave ranges: --judge configured asks judges for them, after printing the plan.

    Exit code: 0 when compared; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.comparisons import grid, two_files

    grid(file, asked) if new is None else two_files(file, new, asked)


@click.command("diff")
@click.argument("old", type=FILE, metavar="OLD")
@click.argument("new", type=FILE, metavar="NEW")
@takes(Diff)
def diff_command(asked: Diff, old: Path, new: Path) -> None:
    """Show what changed in meaning from OLD to NEW: prompts, points, their shares of the score, ids, and settings.

    Formatting, comments, quotes and the order of keys change nothing. One of OLD and NEW may be `-` for standard input,
    as in `git show HEAD:FILE | studio diff - FILE`.

    The scores that move are shown too: of ideals, of the cases of NEW, and of the answers that are stored on this
    machine. Checks run, and known grades and verdicts count. Nothing is sent.

    Exit code: 0 when the two are compared, whether they differ or not; 2 for a usage or input error.
    """
    refuse()
    from studio.cli.version_changes import version_changes

    version_changes(old, new, asked)


@click.command("review")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(Reviewed)
def review_command(asked: Reviewed, files: tuple[Path, ...]) -> None:
    """Review blueprints: pitfalls, near-duplicate prompts, scripts and hosts, what a run would cost, and what Weval's
    evaluation of the pull request would leave out.

    --format markdown adds suggestions to paste into a review. Nothing is sent, unless by --links: then each cited web
    address gets one request without content, after the hosts are listed.

    Exit code: as `studio check`: 0 for nothing at or above the level; 1 for a problem, or a link that is gone; 2 for a
    usage or input error.
    """
    from studio.cli.reviews import reviewed

    reviewed(files, asked)


@click.command("report")
@click.argument("file", type=FILE)
@takes(Reported)
def report_command(asked: Reported, file: Path) -> None:
    """Report results: what was asked, the answers with their evidence, points, costs, cases, and who judged.

    FILE is a blueprint or a Weval result file. For a blueprint, it reports the ideals and, of each other source, the
    newest answer stored on this machine, by the present rubric. Stored verdicts and grades count. Nothing is sent.

    The HTML is one file that loads nothing and runs nothing.

    Exit code: 0 when reported; 2 for a usage or input error, or if there is nothing to report.
    """
    from engine.evaluation.results import is_result

    is_of_result = is_result(file)
    refuse("RESULT" if is_of_result else "BLUEPRINT")
    from studio.cli.reports import reported

    reported(file, asked, is_of_result=is_of_result)


@click.command("grading")
@click.argument("file", type=FILE)
@takes(Grading)
def grading_command(asked: Grading, file: Path) -> None:
    """Show how far the judges of FILE agree with people who graded without seeing the verdicts.

    The pairs of an answer and a criterion are drawn at random from all that judges have judged on this machine. You
    grade them in the studio (h in all answers). A colleague grades them in a grading sheet, which any spreadsheet
    program opens: --sheet writes it, --read takes the grades back under the name of --by. Nothing is sent.

    Exit code: 0 when done; 1 when a row of the sheet could not be used; 2 for a usage or input error, or if nothing is
    judged.
    """
    refuse()
    from studio.cli.grades import graded

    graded(file, asked)


@click.command("draft")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@takes(Drafted)
def draft_command(asked: Drafted, file: Path) -> None:
    """Draft points for a prompt from its ideal, and print them as YAML to insert.

    The prompt's messages and its ideal go to the model of the first judge, which is named on stderr first, with the
    price. FILE is unchanged.

    Exit code: 0 for points, 1 for none, 2 for a usage or input error.
    """
    from studio.cli.drafts import drafted

    drafted(file, asked)
