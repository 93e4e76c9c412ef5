"""# unknown-suppression

A comment `# studio: ignore[name]` names a rule that there is not.

The comment is how an author says "I have looked at this, and mean it as written": behind something it speaks of its own
line, on a line of its own of the item or key below it, with everything in it. Rules are named by slug or code, several
with commas; the reason follows the bracket. A name that no rule has silences nothing, and whoever reads the file
believes that it does. Comments change no score: Weval reads past them.

Bad:

    - id: translations
      prompt: Say yes in three languages.
      should:
        - Says it in three languages # studio: ignore[single-element-paths] each is enough

Good:

    - id: translations
      prompt: Say yes in three languages.
      should:
        - Says it in three languages

Fix (safe where one rule is near; unsafe where several are): the name that was meant.
Documents: 002, "YAML Blueprint Format": YAML has comments, which Weval reads past; the studio alone reads this one.

# unused-suppression

A comment `# studio: ignore[rule]` silences nothing: there is nothing of that rule to tell here.

What the comment excused was mended or moved, or the comment stands in the wrong place: behind something it speaks of
its own line only. Left where it is, it will one day hide a mistake that nobody has looked at, and that may cost points.
A comment needs no reason to work, but it ought to have one, behind the bracket: the next author has to see whether it
still holds. JSON has no comments; there the project's settings (`per-file-ignores`) are the place for exceptions.
Nothing is reported on rules that did not take part in a check, as under `--select`.

Bad:

    - id: rights
      prompt: Name one right of a tenant.
      should:
        - Names the right to repairs # studio: ignore[bad-weight] the weight was 20 once

Good:

    - id: rights
      prompt: Name one right of a tenant.
      should:
        - Names the right to repairs

Fix (safe): take the rule out of the comment, and the comment out of the file where it names no other.
Documents: 002, "YAML Blueprint Format": YAML has comments, which Weval reads past; the studio alone reads this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.diagnostics import Fix, Severity
from engine.rules.rule import Report, Rule
from engine.rules.rule_names import RuleNames
from engine.rules.suppression import Name, Suppression, suppressions, without
from engine.rules.views import FileView
from engine.text import Span, TextEdit


def _unknown(view: FileView) -> Iterable[Report]:
    for comment in suppressions(view.tree):
        for name in comment.names:
            if name.text not in view.names:
                yield _unknown_name(name, view.names)


def _unknown_name(name: Name, known: RuleNames) -> Report:
    near = known.nearest(name.text)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    fixes = tuple(Fix(f"name the rule {slug}", len(near) == 1, (TextEdit(name.span, slug),)) for slug in near)
    return Report(name.span, f"there is no rule “{name.text}”: this comment silences nothing by it{hint}", fixes=fixes)


def _unused(comment: Suppression, idle: Sequence[Name], view: FileView) -> Report:
    edit = without(view.text, comment, idle)
    listed = " and ".join(name.text for name in idle)
    if not comment.names:
        message = "this comment names no rule: it silences nothing"
    else:
        verb, by = ("reports", " by it") if len(idle) == 1 else ("report", "")
        message = f"{listed} {verb} nothing here: this comment silences nothing{by}"
    removed = f"take {listed} out of it" if edit.text else "take the comment away"
    span = Span(idle[0].span.start, idle[-1].span.end) if idle else comment.comment
    return Report(span, message, fixes=(Fix(removed, True, (edit,)),))


RULES = (
    Rule(
        code="S090",
        slug="unknown-suppression",
        severity=Severity.ERROR,
        why="What it was to silence is still reported, or the rule had another name when it was written.",
        on_file=_unknown,
    ),
    Rule(
        code="S091",
        slug="unused-suppression",
        severity=Severity.HINT,
        why="Left where it is, it may one day hide a mistake that costs points and that nobody has looked at.",
        on_unused_suppression=_unused,
    ),
)
