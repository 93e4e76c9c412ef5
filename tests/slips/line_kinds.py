"""Kinds of slips made on one line: colons, quotes, signs that begin a text, brackets, keys."""

from __future__ import annotations

from random import Random

from tests.slips.excerpts import Excerpt
from tests.slips.operators import Made, kind, of_field, of_point

COLON = "colon|quotes"
SIGNS = "yaml-syntax typographic-signs"
MARK = "quotation mark"
NEEDS_TEXT = "`text:`"
UNDER_TEXT = "key-under-text"
WEIGHTED = "{m}- text: {t}\n{m}  weight: 2"
FIELD = "{p}{k}: {t}"
POINT = "{m}- {t}"

# Colons and quotation marks within texts
of_field("colon in a prompt", "{p}{k}: {a}: {b}", '{p}{k}: "{a}: {b}"', COLON)
of_field("colon in a title", "{p}{k}: {a}: {b}", '{p}{k}: "{a}: {b}"', COLON, keys=("title",))
of_field("two colons in a prompt", "{p}{k}: {a}: {b}: so", '{p}{k}: "{a}: {b}: so"', COLON)
of_point("two colons in a point", "{m}- {a}: {b}: so", '{m}- "{a}: {b}: so"', COLON)
of_point("text after a quotation", '{m}- "{a}" and {b}', "{m}- '\"{a}\" and {b}'", "quotes")
of_point("text after a single quotation", "{m}- '{a}' and {b}", "{m}- \"'{a}' and {b}\"", "quotes")
of_field("text after a quotation in a prompt", '{p}{k}: "{a}" {b}', "{p}{k}: '\"{a}\" {b}'", "quotes")
of_point("colon and quotation", '{m}- Says: "{a}" and {b}: x', "{m}- 'Says: \"{a}\" and {b}: x'", COLON)
of_point("apostrophe in single quotes", "{m}- 'It's {t}'", '{m}- "It\'s {t}"', "quot")
of_point("quotation in double quotes", '{m}- "He says "{a}" {b}"', "{m}- 'He says \"{a}\" {b}'", "quot")
of_field("apostrophe in a quoted prompt", "{p}{k}: 'Doesn't it {t}'", '{p}{k}: "Doesn\'t it {t}"', "quot")
of_point(
    "backslash in double quotes",
    '{m}- "{a} \\d {b}"',
    "{m}- '{a} \\d {b}'",
    "backslash|meaning",
    "backslash-in-double-quotes",
)

# Quotation marks that are not closed
of_point("unclosed double quote of a point", '{m}- "{t}', POINT, "never closed")
of_point("unclosed single quote of a point", "{m}- '{t}", POINT, "never closed")
of_field("unclosed double quote of a prompt", '{p}{k}: "{t}', FIELD, "never closed")
of_field("unclosed single quote of a prompt", "{p}{k}: '{t}", FIELD, "never closed")
of_field("unclosed quote of a title", '{p}{k}: "{t}', FIELD, "never closed", keys=("title",))
of_point("quote not opened", '{m}- {t}"', POINT, "quot", "yaml-syntax stray-quote", fix=False)
of_point("quotes of two kinds", "{m}- \"{t}'", POINT, "never closed")

# Quotation marks that are not those of YAML
of_field("smart quotes around a colon", "{p}{k}: “{a}: {b}”", '{p}{k}: "{a}: {b}"', MARK, SIGNS)
of_field("smart quotes", "{p}{k}: “{t}”", FIELD, "quot", SIGNS)
of_point("smart quotes around a point", "{m}- “{t}”", POINT, "quot", SIGNS)
of_point("smart quotes and colons", "{m}- “{a}: {b}: so”", '{m}- "{a}: {b}: so"', MARK, SIGNS)
of_field("full-width quotes around a colon", "{p}{k}: ＂{a}: {b}＂", '{p}{k}: "{a}: {b}"', "quotation mark|wide", SIGNS)
of_field("guillemets around a colon", "{p}{k}: «{a}: {b}»", '{p}{k}: "{a}: {b}"', MARK, SIGNS)

# Texts that begin with a sign
for _sign, _name in (
    ("*bold* ", "asterisk"),
    ("@user ", "at sign"),
    ("`code` ", "backtick"),
    ("%5 of ", "per cent"),
    ("[note] ", "bracket"),
    ("{{name}} ", "brace"),
    ("!important ", "exclamation mark"),
    ("&c ", "ampersand"),
):
    of_point(
        f"point that begins with an {_name}",
        "{m}- " + _sign + "{t}",
        '{m}- "' + _sign + '{t}"',
        "starts with|quotes",
        "yaml-syntax unused-anchor",
        fix=_name != "ampersand",  # the anchor may be meant as one
    )
of_field("prompt that begins with a bracket", "{p}{k}: [x] {t}", '{p}{k}: "[x] {t}"', "starts with|quotes")
of_field("prompt that begins with a pipe", "{p}{k}: | {t}", FIELD, r"next line|`\|`", fix=False)
of_point("box before a point", "{m}- [ ] {t}", POINT, "box")
of_point("ticked box before a point", "{m}- [x] {t}", POINT, "box|starts with", fix=False)

# Spaces and colons of keys
of_field(
    "no space after a key",
    "{p}{k}:{t}",
    FIELD,
    "space after",
    "yaml-syntax prompt-lost stray-item bad-structure lost-line",
)
of_field(
    "no space after title",
    "{p}{k}:{t}",
    FIELD,
    "space after",
    "yaml-syntax prompt-lost bad-structure lost-line",
    keys=("title",),
)
of_field("no colon after a key", "{p}{k} {t}", FIELD, "`:` after")
of_field("equals sign for the colon", "{p}{k} = {t}", FIELD, "`:` after")
of_field("semicolon for the colon", "{p}{k}; {t}", FIELD, "`:` after")
of_field("full-width colon", "{p}{k}：{t}", FIELD, "wide")
of_field("full-width colon and a space", "{p}{k}： {t}", FIELD, "wide")
of_field("no-break space after a key", "{p}{k}:\u00a0{t}", FIELD, "looks like a space")
of_field("quote before a key", '{p}"{k}: {t}', FIELD, "never closed")
of_field("comma at the end of a value", '{p}{k}: "{t}",', FIELD, "comma")
of_field(
    "second key on the line",
    "{p}{k}: {t} description: {a}",
    "{p}{k}: {t}\n{m}description: {a}",
    "line of its own",
    keys=("prompt",),
)
of_point("no space after a dash", "{m}-{t}", POINT, "space after", "yaml-syntax rubric-not-a-list lost-dash")

# Keys below a plain point
of_point("weight below a point", "{m}- {t}\n{m}  weight: 2", WEIGHTED, NEEDS_TEXT, UNDER_TEXT, at=1)
of_point(
    "citation below a point",
    "{m}- {t}\n{m}  citation: Article 19",
    "{m}- text: {t}\n{m}  citation: Article 19",
    NEEDS_TEXT,
    UNDER_TEXT,
    at=1,
)
of_point("weight at the dash of its point", "{m}- {t}\n{m}weight: 2", WEIGHTED, NEEDS_TEXT, UNDER_TEXT, at=1)
of_point("weight deeper than its point", "{m}- {t}\n{m}    weight: 2", WEIGHTED, NEEDS_TEXT, UNDER_TEXT, at=1)
of_point(
    "multiplier below a point",
    "{m}- {t}\n{m}  multiplier: 2",
    "{m}- text: {t}\n{m}  multiplier: 2",
    NEEDS_TEXT,
    UNDER_TEXT,
    at=1,
)
of_point(
    "weight and citation below a point",
    "{m}- {t}\n{m}  weight: 2\n{m}  citation: Article 19",
    "{m}- text: {t}\n{m}  weight: 2\n{m}  citation: Article 19",
    NEEDS_TEXT,
    UNDER_TEXT,
    at=1,
)
of_point("weight below a quoted point", '{m}- "{t}"\n{m}  weight: 2', WEIGHTED, NEEDS_TEXT, UNDER_TEXT, at=1)
of_point(
    "weight below a point with a colon",
    "{m}- {a}: {b}\n{m}  weight: 2",
    '{m}- text: "{a}: {b}"\n{m}  weight: 2',
    NEEDS_TEXT,
    "key-under-text bad-point",
    at=1,
)
of_point(
    "weight on the line of its point",
    "{m}- {t} weight: 2",
    WEIGHTED,
    "`text:`|line of its own",
    "key-under-text bad-point",
)

# Brackets
of_point("bracket not closed", "{m}- $contains_any_of: [one, two", "{m}- $contains_any_of: [one, two]", "never closed")
of_point("brace not closed", "{m}- {{text: {w}, weight: 2", "{m}- {{text: {w}, weight: 2}}", "never closed")
of_point(
    "full-width comma in a list",
    "{m}- $contains_all_of: [one， two]",
    "{m}- $contains_all_of: [one, two]",
    "wide|comma",
    SIGNS,
)
of_point(
    "full-width brackets",
    "{m}- $contains_all_of: ［one, two］",
    "{m}- $contains_all_of: [one, two]",
    "wide|list|bracket",
    SIGNS,
)

# Two checks in one item
of_point(
    "two checks in one item",
    "{m}- $icontains: one\n{m}  $icontains_any_of: [two, three]",
    "{m}- $icontains: one\n{m}- $icontains_any_of: [two, three]",
    "first check",
    "unknown-key two-checks",
)


@kind("two checks in one item, a text between", "first check", "unknown-key two-checks")
def _three_checks(where: Excerpt, rng: Random) -> Made | None:
    points = where.points()
    if not points:
        return None
    point = rng.choice(points)
    margin = point.margin
    slip = (f"{margin}- $contains: one", f"{margin}  $matches: two", f"{margin}  $not_contains: three")
    meant = (f"{margin}- $contains: one", f"{margin}- $matches: two", f"{margin}- $not_contains: three")
    return Made(point.line, 1, slip, meant)


# Lines that are no part of YAML
of_point("slashes for a comment", "{m}- {t}\n{m}// {a}", POINT, "comments")
of_point("a comment of HTML", "{m}- {t}\n{m}<!-- {a} -->", POINT, "comments")
of_field("a fence of Markdown", "{p}{k}: {t}\n```yaml", FIELD, "Markdown")
