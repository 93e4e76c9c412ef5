"""# bad-render-as

A `render_as` other than `markdown`, `html` or `plaintext`, in lower case.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: Markdown

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      render_as: markdown

Fix (safe where only the case differs): write it in lower case.

Documents: Blueprint format, Prompt Fields, `render_as`.

# bad-temperature

A `temperature` that is not a number, or `temperatures` that is not a list of numbers.

Weval refuses to read or to run the file, so nothing in it is scored.

Bad:

    title: Capitals
    temperature: "0.7"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    temperature: 0.7
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe for a number in quotation marks): remove the quotation marks. A single number under `temperatures` becomes a
list.

Documents: Blueprint format, Configuration Header Fields, `temperature`, `temperatures`.

# bad-author

An `author` that is neither a name nor a mapping with a `name`.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    author:
      url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    author:
      name: Jane Doe
      url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `author`.

# bad-reference

A reference that is neither text nor a mapping with a `title` (or `name`), nor a list of these.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    references:
      - url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    references:
      - title: An atlas
        url: https://example.org
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `references`.

# bad-system

A `system` that is not text. The header may also have a list of texts.

Weval refuses to read or to run the file, so nothing in it is scored.

Bad:

    - id: capital
      system:
        - Be brief.
        - Be kind.
      prompt: What is the capital of Kenya?

Good:

    - id: capital
      system: Be brief.
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Prompt Fields, `system`.

# wrong-type

A field of the wrong type: a `title` that is a number, an `ideal` that is a mapping, `tags` that are not a list,
`noCache: no`, which is a string and not false.

Weval refuses to run a file with a `title`, `description` or `tags` of another type. It accepts other fields as they
are: every string under `noCache` means true, and a `point_defs` or an `evaluationConfig` that is not a mapping is
ignored, so the default judges are used.

Bad:

    title: 2024
    tags: geography
    noCache: no
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: "2024"
    tags: [geography]
    noCache: false
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix (safe where only one thing can be meant): quotation marks, a list with the one string, `true` or `false`.

Documents: Blueprint format, Configuration Header Fields, `title`, `description`, `tags`, `point_defs`, `noCache`;
Blueprint format, Evaluation Configuration, `useExperimentalScale`; Blueprint format, Configuration Header Fields,
`toolUse`.

# prompt-id-type: Prompt id that is not text

An `id` that is not a string, on the second prompt or a later one: `id: 2`.

Weval sorts the prompts by id before it runs them and can only compare strings, so the run fails before it starts and
nothing is scored.

Bad:

    - id: 1
      prompt: What is the capital of Kenya?
    - id: 2
      prompt: What is the capital of Ghana?

Good:

    - id: 1
      prompt: What is the capital of Kenya?
    - id: "2"
      prompt: What is the capital of Ghana?

Fix (safe): put it in quotation marks.

Documents: Blueprint format, Prompt Fields, `id`.

# temperature-shadowed: Temperature that another setting overrides

A `temperature` that another setting overrides: a header's beside `temperatures`, or a prompt's below a header's.

With `temperatures`, every prompt is run at each of them and at no other, so a `temperature` beside them or in a prompt
changes no answer and no score. A prompt's own temperature overrides a single `temperature` of the header here, as one
would expect. Weval uses the header's, so the same prompt may score differently there.

Bad:

    title: Capitals
    temperature: 0.2
    temperatures: [0.0, 0.7]
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals
    temperatures: [0.0, 0.7]
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Remove the one that you do not want.

Documents: Blueprint format, Configuration Header Fields, `temperature`, "overridden if the `temperatures` array is
present".

# not-canonical: Not in Weval's canonical form

A part of the normalised blueprint that does not meet Weval's canonical form.

Weval checks the form of a proposal before it evaluates it, and of a merged file. `studio review` and
`studio check --for weval` warn of it; otherwise the rule is off. The check is Weval's; its form was seen as of 1 July
2026 and may have changed since.

Bad:

    point_defs:
      is_short: {$js: r.length < 400}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: is_short

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $js: r.length < 400

Fix: none. A `$ref` to a definition that is a mapping is copied as it stands, and is then no point of the form: write
the check where it is used.

Documents: Blueprint format, Prompt Fields.

# refused-by-weval

A refusal of Weval, in Weval's own words. Reported by `studio check --for weval` where no other rule reports an error,
and when the rule is selected by name.

Most of what Weval refuses has a rule of its own, with a message for authors; this one covers the rest. Nothing in a
refused file is scored.

Bad:

    title: 2024
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: "2024"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Blueprint Structures. This is how Weval reads them.

# secret-in-file: Key in the file

A text with the form of a key of a known provider, such as OpenAI, Anthropic, Google or AWS, anywhere in the file, in a
comment too.

A blueprint is published, with all earlier versions of it. Whoever reads it can use the key. No output repeats it, and
no fix that would write it is offered.

Bad:

    # key: sk-proj-0123456789abcdefghij
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    # The key is in OPENAI_API_KEY.
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Remove the key, revoke it, and set its variable in the environment.

Documents: Blueprint format, Custom Model Definitions.

# unknown-suppression

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

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import RenderAs
from engine.models.secret import keys_in
from engine.parsing import weval_config
from engine.parsing.demands import Finding, Kind, meant
from engine.parsing.fields import is_blank, string
from engine.rules.checks import part_rule
from engine.rules.refusals import Fixes, field_rule
from engine.rules.rule import MALFORMED, REFUSED, RUN_REFUSED, UNUSED, FileView, Report, file_rule, fix_at, rule_of
from engine.rules.suppression import SIGN, Name, suppressions
from engine.text import Fix, Related, Span, TextEdit, replace
from engine.yaml.edit import key_like
from engine.yaml.layout import first_content_line, is_one_line, line_end, quoted
from engine.yaml.nodes import ScalarNode, Style

if TYPE_CHECKING:
    from engine.parsing.canonical_form import Place

_Written: TypeAlias = Callable[[ScalarNode, FileView], tuple[str, str]]
"""The title of a fix, and what it writes for a scalar: "" where it cannot be corrected."""


def _replacing(written: _Written) -> Fixes:
    """The safe fix for a scalar that does not meet a demand."""

    def fixes(finding: Finding, view: FileView) -> tuple[Fix, ...]:
        node = finding.node
        title, new = written(node, view) if isinstance(node, ScalarNode) else ("", "")
        return (Fix(title, True, (TextEdit(node.span, new),)),) if node is not None and new else ()

    return fixes


@_replacing
def _in_lower_case(node: ScalarNode, view: FileView) -> tuple[str, str]:
    lower = node.text.strip().lower()
    return f"write {lower}", key_like(view.text, node, lower) if lower in set(RenderAs) else ""


def _is_quoted_number(node: ScalarNode) -> bool:
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    return is_quoted and re.fullmatch(r"\d+(\.\d+)?", node.text) is not None


@_replacing
def _as_number(node: ScalarNode, _: FileView) -> tuple[str, str]:
    return "write it as a number", node.text if _is_quoted_number(node) else ""


@_replacing
def _as_numbers(node: ScalarNode, _: FileView) -> tuple[str, str]:
    is_number = _is_quoted_number(node) or type(node.value) in (int, float)
    return "write it as a list", f"[{node.text}]" if is_number else ""


@_replacing
def _as_flag(node: ScalarNode, _: FileView) -> tuple[str, str]:
    value = meant(node)
    word = "" if value is None else "true" if value else "false"
    return f"write {word}", word


@_replacing
def _as_text(node: ScalarNode, view: FileView) -> tuple[str, str]:
    written = quoted(node.span.of(view.text), is_json=view.is_json)
    return "put it in quotation marks", written if is_one_line(view.text, node.span) else ""


@_replacing
def _as_tags(node: ScalarNode, view: FileView) -> tuple[str, str]:
    """A list of a single tag, or of nothing; not of several tags in one string."""
    written, text = node.span.of(view.text), string(node)
    if node.value is None:
        is_apart = written or view.text[node.span.start - 1 : node.span.start] in (" ", "\n", "")
        return "write an empty list", "[]" if is_apart else " []"
    if text is None or is_blank(text) or "," in text or not is_one_line(view.text, node.span):
        return "", ""
    safe = written if node.style is not Style.PLAIN or text.replace(" ", "").isalnum() else quoted(text)
    return "write it as a list", f"[{safe}]"


def _shadowed(finding: Finding, view: FileView) -> Report:
    above, _, times = finding.detail.partition(" ")
    pair = view.header.pair(above)
    one, count = ("this prompt", int(times)) if times else ("", 0)
    many = f"{count} prompts, from here on,"
    label = "the header's" if times else "these are used"
    if not times:
        message = "no prompt is run at this temperature: `temperatures` overrides it"
    elif finding.flagged:
        which = f"{one} at its" if count == 1 else f"{many} at their"
        message = f"Weval does not run {which} own temperature: there the header's `temperature` overrides it"
    else:
        which = f"{one} is not run at its" if count == 1 else f"{many} are not run at their"
        message = f"{which} own temperature: the header's `temperatures` override it"
    return Report(finding.span, message, related=() if pair is None else (Related(pair.key.span, label),))


_FIXES = {
    **dict.fromkeys(("title", "description", "ideal"), _as_text),
    **dict.fromkeys(("noCache", "useExperimentalScale", "enabled", "cache"), _as_flag),
    "tags": _as_tags,
}


bad_render_as = field_rule(Kind.BAD_RENDER_AS, fixes={"": _in_lower_case})
bad_temperature = field_rule(Kind.BAD_TEMPERATURE, fixes={"temperatures": _as_numbers, "": _as_number})
bad_author = field_rule(Kind.BAD_AUTHOR)
bad_reference = field_rule(Kind.BAD_REFERENCE)
bad_system = field_rule(Kind.BAD_SYSTEM)
wrong_type = field_rule(Kind.WRONG_TYPE, fixes=_FIXES)
prompt_id_type = field_rule(Kind.NUMBERED_ID, fixes={"": _as_text})
temperature_shadowed = field_rule(Kind.TEMPERATURE_SHADOWED, {"": _shadowed})


_MOST_RELATED = 9
_BLOCKS = {"points": "should", "should_not": "should_not"}


@file_rule()
def not_canonical(view: FileView) -> Iterator[Report]:
    from engine.parsing.canonical_form import ASKED, SEEN, misses  # here, as it brings pydantic

    config = weval_config(view.parsed) if view.parsed.weval.refusal is None else None
    found: dict[str, list[Span]] = {}
    for place in () if config is None else misses(config):
        key = next((each for each in place if isinstance(each, str) and each != "prompts"), "prompts")
        found.setdefault(ASKED.get(key, f"`{key}` as a text"), []).append(_span(view, place))
    for asked, (first, *others) in found.items():
        times = f", not met {len(others) + 1} times in this file" if others else ""
        related = tuple(Related(span, "not met here either") for span in others[:_MOST_RELATED])
        yield Report(first, f"Weval's canonical form (as of {SEEN}) asks for {asked}{times}", related=related)


def _span(view: FileView, place: Place) -> Span:
    """Where the author wrote what is at `place` of the normalised form."""
    match place:
        case ("prompts", int(at), "points" | "should_not" as key, int(entry)) if at < len(view.blueprint.prompts):
            rubrics = view.blueprint.prompts[at].rubrics
            entries = [each for rubric in rubrics if rubric.block == _BLOCKS[key] for each in rubric.entries]
            return entries[entry].span if entry < len(entries) else view.blueprint.prompts[at].span
        case ("prompts", int(at), *_) if at < len(view.blueprint.prompts):
            return view.blueprint.prompts[at].span
        case (str(key), *_):
            pair = view.header.pair(key)
            return first_content_line(view.text) if pair is None else pair.key.span
        case _:
            return first_content_line(view.text)


@file_rule()
def refused_by_weval(view: FileView) -> Iterator[Report]:
    weval = view.parsed.weval
    if weval.refusal is not None:
        at = min(weval.refusal.offset, len(view.text))
        span = Span(at, line_end(view.text, at))
        why = REFUSED if weval.error is not None else RUN_REFUSED
        yield Report(span, f"Weval refuses this: {weval.refusal.message}", why)


@part_rule()
def secret_in_file(view: FileView, part: Span) -> Iterator[Report]:
    for match in keys_in(view.text, part.start, part.end):
        provider = (match.lastgroup or "").replace("_", " ")
        yield Report(Span(*match.span()), f"this has the form of a key of {provider}: remove it from the file")


secret_in_file = replace(secret_in_file, on_collection=secret_in_file.on_file)


@file_rule()
def unknown_suppression(view: FileView) -> Iterable[Report]:
    for comment in suppressions(view.tree) if view.holds(SIGN) else ():
        yield from (_unknown_name(name, view) for name in comment.names if name.text not in view.names)


def _unknown_name(name: Name, view: FileView) -> Report:
    words = name.text.split()
    if all(word in view.names for word in words):
        fixes = fix_at("separate the names by commas", name.span, ", ".join(words), safe=True)
        return Report(name.span, f"“{name.text}” is not one rule, so nothing is suppressed: write commas", fixes=fixes)
    near = view.names.nearest(name.text)
    hint = f": did you mean {' or '.join(near)}?" if near else ""
    fixes = tuple(Fix(f"name the rule {slug}", len(near) == 1, (TextEdit(name.span, slug),)) for slug in near)
    return Report(name.span, f"there is no rule “{name.text}”, so nothing is suppressed{hint}", fixes=fixes)


unused_suppression, malformed_suppression = rule_of(UNUSED), rule_of(MALFORMED)
