"""# unknown-suppression

A comment `# studio: ignore[name]` that names a rule that does not exist.

The comment says "I have looked at this, and mean it as written". At the end of a line it covers that line; on a line of
its own it covers the item or key below, with everything in it. `# studio: ignore-file[name]` above the content covers
the file. Name rules by slug or code, separated by commas, and give the reason after the bracket. An unknown name
suppresses nothing, although a reader would think so. Comments never change a score: Weval ignores them.

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

# malformed-suppression

A comment that was meant as a suppression and has another form: `# studio: ignore` without the rule in brackets,
`# studio ignore[rule]` without the colon, or `# studio: ignore-file[rule]` below the first content.

It suppresses nothing, although a reader would think so: the problem is still reported. The form is
`# studio: ignore[rule] reason`, in lower case, with square brackets; several rules are separated by commas. There is no
comment that ignores all rules: one that hides a known problem would hide the next mistake too, which costs points. For
a whole file, write `# studio: ignore-file[rule] reason` in the comments at its top. As long as the comment is
malformed, `--fix` leaves the problem that it was meant for as it is.

Bad:

    # studio ignore(unstable-prompt-id): ids come later
    - prompt: Name one right of a tenant.
      should:
        - Names the right to repairs

Good:

    # studio: ignore[unstable-prompt-id] ids come later
    - prompt: Name one right of a tenant.
      should:
        - Names the right to repairs

Fix (safe where the comment names rules that exist, and its word can mean one thing only; else unsafe): write it in this
form, for these rules or for those that are reported here; move a comment on the file to its top.

Documents: Blueprint format, YAML Blueprint Format. YAML has comments, which Weval ignores; only the studio reads this
one.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.rules.rule import MALFORMED_SUPPRESSION, UNUSED_SUPPRESSION, FileView, Report, Rule, RuleNames, file_rule
from engine.rules.suppression import SIGN, Name, suppressions
from engine.text import Fix, Severity, TextEdit


@file_rule(
    "S090",
    Severity.ERROR,
    why="The problem is still reported, or the rule had another name when the comment was written.",
)
def unknown_suppression(view: FileView) -> Iterable[Report]:
    for comment in suppressions(view.tree) if view.holds(SIGN) else ():
        for name in comment.names:
            if name.text not in view.names:
                yield _unknown_name(name, view.names)


def _unknown_name(name: Name, known: RuleNames) -> Report:
    words = name.text.split()
    if all(word in known for word in words):
        fix = Fix("separate the names by commas", True, (TextEdit(name.span, ", ".join(words)),))
        return Report(name.span, f"“{name.text}” is not one rule, so nothing is suppressed: write commas", fixes=(fix,))
    near = known.nearest(name.text)
    hint = f": did you mean {' or '.join(near)}?" if near else ""
    fixes = tuple(Fix(f"name the rule {slug}", len(near) == 1, (TextEdit(name.span, slug),)) for slug in near)
    return Report(name.span, f"there is no rule “{name.text}”, so nothing is suppressed{hint}", fixes=fixes)


unused_suppression = Rule(
    code="S091",
    slug=UNUSED_SUPPRESSION,
    severity=Severity.HINT,
    why="If it stays, it may one day hide a mistake that costs points and that nobody has looked at.",
)
malformed_suppression = Rule(
    code="S092",
    slug=MALFORMED_SUPPRESSION,
    severity=Severity.WARNING,
    why="The problem is still reported, and a reader of the comment thinks otherwise.",
)
