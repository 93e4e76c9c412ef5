"""# unknown-suppression

A comment `# studio: ignore[name]` that names a rule that does not exist.

The comment says "I have looked at this, and mean it as written". At the end of a line it covers that line; on a line of
its own it covers the item or key below, with everything in it. Name rules by slug or code, separated by commas, and
give the reason after the bracket. An unknown name suppresses nothing, although a reader would think so. Comments never
change a score: Weval ignores them.

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

Fix (safe where only one rule has a similar name; unsafe otherwise): the name that was meant.

Documents: Blueprint format, YAML Blueprint Format. YAML has comments, which Weval ignores; only the studio reads this
one.

# unused-suppression

A comment `# studio: ignore[rule]` that suppresses nothing: the rule reports nothing here.

The problem was fixed or moved, or the comment is in the wrong place: at the end of a line it covers that line only. If
it stays, it may one day hide a mistake that costs points and that nobody has looked at. A comment works without a
reason, but give one after the bracket: the next author has to see whether it still applies. JSON has no comments; use
`per-file-ignores` in the project's settings there. Rules that took no part in a check, as under `--select`, are not
reported.

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

Fix (safe): remove the rule from the comment, or the whole comment where it names no other rule.

Documents: Blueprint format, YAML Blueprint Format. YAML has comments, which Weval ignores; only the studio reads this
one.
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
    hint = f": did you mean {' or '.join(near)}?" if near else ""
    fixes = tuple(Fix(f"name the rule {slug}", len(near) == 1, (TextEdit(name.span, slug),)) for slug in near)
    return Report(name.span, f"there is no rule “{name.text}”, so nothing is suppressed{hint}", fixes=fixes)


def _unused(comment: Suppression, idle: Sequence[Name], view: FileView) -> Report:
    edit = without(view.text, comment, idle)
    listed = " and ".join(name.text for name in idle)
    if not comment.names:
        message = "unused suppression: this comment names no rule"
    else:
        verb = "reports" if len(idle) == 1 else "report"
        message = f"unused suppression: {listed} {verb} nothing here"
    removed = f"remove {listed} from the comment" if edit.text else "remove the comment"
    span = Span(idle[0].span.start, idle[-1].span.end) if idle else comment.comment
    return Report(span, message, fixes=(Fix(removed, True, (edit,)),))


RULES = (
    Rule(
        code="S090",
        slug="unknown-suppression",
        severity=Severity.ERROR,
        why="The problem is still reported, or the rule had another name when the comment was written.",
        on_file=_unknown,
    ),
    Rule(
        code="S091",
        slug="unused-suppression",
        severity=Severity.HINT,
        why="If it stays, it may one day hide a mistake that costs points and that nobody has looked at.",
        on_unused_suppression=_unused,
    ),
)
