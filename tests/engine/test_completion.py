"""What can be written where the cursor stands: each context by name, and laws over the corpus and the registry."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.completion import Candidate, Completions, Kind, Known, complete, names_in
from engine.functions import ALL, PointFunction, find
from engine.parsing import parse
from engine.parsing.keys import KEYS, Part
from engine.rules import check
from engine.text.spans import LineIndex
from tests.many_cases import every
from tests.world import corpus_files, needs_corpus

HEADER = "title: Deposits\n---\n"
PROMPT = f"{HEADER}- id: deposit\n  prompt: Must my landlord protect my deposit?\n"
POINTS = f"{PROMPT}  should:\n    - Names the scheme\n"
KNOWN = Known(
    definitions=("scoreBand",), tools=("calculator", "search"), services=("fact-checker",), collections=("HOUSING",)
)


def at(marked: str) -> Completions | None:
    """The completions at the mark ‸ of a text."""
    return complete(marked.replace("‸", ""), marked.index("‸"), KNOWN)


def labels(marked: str) -> list[str]:
    found = at(marked)
    return [] if found is None else [each.label for each in found.candidates]


def candidate(marked: str, label: str) -> Candidate:
    found = at(marked)
    assert found is not None
    return next(each for each in found.candidates if each.label == label)


def taken(marked: str, label: str) -> str:
    """The text after `label` was taken at the mark, the mark where the cursor then is."""
    text, found = marked.replace("‸", ""), at(marked)
    assert found is not None
    chosen = next(each for each in found.candidates if each.label == label)
    put = f"{chosen.text[: chosen.cursor]}‸{chosen.text[chosen.cursor :]}"
    return text[: found.span.start] + put + text[found.span.end :]


# --- Point functions


def test_a_dollar_at_a_point_offers_every_documented_function() -> None:
    assert set(labels(f"{POINTS}    - $‸")) == {"$ref", *(f"${function.name}" for function in ALL)}


def test_a_name_begun_brings_those_that_begin_so_first() -> None:
    assert labels(f"{POINTS}    - $icont‸")[:4] == [
        "$icontains",
        "$icontains_word",
        "$icontains_any_of",
        "$icontains_all_of",
    ]


def test_a_word_within_a_name_finds_it() -> None:
    assert labels(f"{POINTS}    - $json‸") == ["$is_json", "$not_is_json"]


def test_letters_of_a_name_in_their_order_find_it() -> None:
    assert labels(f"{POINTS}    - $wcb‸") == ["$word_count_between"]


def test_other_names_are_offered_only_where_no_documented_name_fits() -> None:
    assert labels(f"{POINTS}    - $expr‸") == ["$expr"]
    assert "$contain" not in labels(f"{POINTS}    - $contain‸")


def test_another_name_says_what_it_stands_for() -> None:
    found = candidate(f"{POINTS}    - $expr‸", "$expr")
    assert found.kind is Kind.ALIAS
    assert found.summary.startswith("Another name of $js.")


def test_a_function_that_weval_does_not_know_says_so() -> None:
    assert candidate(f"{POINTS}    - $not_is‸", "$not_is_json").caution == "Weval does not know it."


def test_a_function_that_weval_knows_otherwise_says_how() -> None:
    assert candidate(f"{POINTS}    - $imat‸", "$imatches_all_of").caution == "Weval knows it only as $imatch_all_of."


def test_a_candidate_tells_what_it_does_its_argument_and_an_example() -> None:
    found, function = candidate(f"{POINTS}    - $‸", "$icontains"), find("icontains")
    assert function is not None
    assert (found.summary, found.argument, found.example) == (
        function.summary,
        function.argument,
        f"- {function.example}",
    )


@every(
    ("typed", "label", "line"),
    [
        ("$ico", "$icontains", "    - $icontains: '‸'"),
        ("$word_c", "$word_count_between", "    - $word_count_between: [‸, ]"),
        ("$contains_at", "$contains_at_least_n_of", "    - $contains_at_least_n_of: [‸, ['']]"),
        ("$is", "$is_json", "    - $is_json: true‸"),
        ("$tool_a", "$tool_args_match", "    - $tool_args_match: { name: '‸', where: {} }"),
        ("$re", "$ref", "    - $ref: ‸"),
    ],
)
def test_a_function_is_written_with_the_shape_of_its_argument(typed: str, label: str, line: str) -> None:
    assert taken(f"{POINTS}    - {typed}‸", label) == POINTS + line


def test_a_list_of_texts_begins_as_a_new_list() -> None:
    written = taken(f"{POINTS}    - $contains_any‸", "$contains_any_of")
    assert written == f"{POINTS}    - $contains_any_of:\n        - ‸"


def test_patterns_are_written_in_single_quotation_marks() -> None:
    written = taken(f"{POINTS}    - - $matches_all‸", "$matches_all_of")
    assert written == f"{POINTS}    - - $matches_all_of:\n          - '‸'"


def test_an_argument_that_is_there_is_kept() -> None:
    assert taken(f"{POINTS}    - $ico‸: 'days'", "$icontains") == f"{POINTS}    - $icontains‸: 'days'"


def test_the_rest_of_the_word_gives_way() -> None:
    assert taken(f"{POINTS}    - $con‸tains_word: 'days'", "$contains") == f"{POINTS}    - $contains‸: 'days'"


def test_functions_come_in_paths_too() -> None:
    assert labels(f"{POINTS}    - - $starts‸")[0] == "$starts_with"


def test_a_point_behind_other_points_of_a_path_is_one() -> None:
    assert labels(f"{POINTS}    - - Names it\n      - $starts‸")[0] == "$starts_with"


def test_a_weight_below_does_not_keep_functions_away() -> None:
    assert labels(f"{POINTS}    - $starts‸\n      weight: 2")[0] == "$starts_with"


def test_functions_are_offered_in_a_definition() -> None:
    assert labels("point_defs:\n  band:\n    $starts‸")[0] == "$starts_with"


def test_the_list_may_stand_right_under_its_key() -> None:
    assert labels("prompt: Why?\nshould:\n- $starts‸")[0] == "$starts_with"


def test_in_brackets_the_argument_stays_on_the_line() -> None:
    written = taken("- prompt: Why?\n  should: [{ $contains_any‸ }]", "$contains_any_of")
    assert written == "- prompt: Why?\n  should: [{ $contains_any_of: ['‸'] }]"


def test_windows_line_ends_are_read_as_line_ends() -> None:
    assert labels(f"{POINTS}    - $starts‸".replace("\n", "\r\n"))[0] == "$starts_with"


def test_a_broken_line_above_does_not_matter() -> None:
    assert labels(f'{POINTS}    - "never closed\n    - $starts‸')[0] == "$starts_with"


@every(
    "below",
    [
        '\n  citation: "Deposit Act: section 5, page 213"',
        '\n    - "Names the scheme"',
        "\n   - set in less than the others",
        "\n  ideal: It must: by law",
    ],
)
@every("above", ["", '    - "never closed\n', "    - [never closed\n", "    - a: b: c\n"])
def test_broken_lines_above_and_below_do_not_matter(above: str, below: str) -> None:
    assert labels(f"{POINTS}{above}    - $starts‸{below}\n")[0] == "$starts_with"


@every("dash", ["  ", "   ", "      "])
def test_a_dash_that_is_set_in_less_begins_a_point_of_the_same_list(dash: str) -> None:
    points = "        - Names it\n" * 40
    assert labels(f"{PROMPT}  should:\n{points}{dash}- $starts‸")[0] == "$starts_with"


def test_fn_takes_names_without_the_dollar_and_adds_its_argument() -> None:
    written = taken(f"{POINTS}    - fn: icon‸", "icontains")
    assert written == f"{POINTS}    - fn: icontains\n      arg: '‸'"


def test_fn_with_an_argument_takes_the_name_alone() -> None:
    written = taken(f"{POINTS}    - fn: icon‸\n      arg: days", "icontains")
    assert written == f"{POINTS}    - fn: icontains‸\n      arg: days"


def test_a_long_list_still_knows_its_key() -> None:
    many = "".join(f"    - Names number {number} of the many\n" for number in range(250))
    assert labels(f"{POINTS}{many}    - $starts‸")[0] == "$starts_with"


def test_a_long_prompt_above_does_not_hide_what_is_written() -> None:
    prompt = "- id: long\n  prompt: |\n" + "    a line of data\n" * 2000
    assert labels(f"{HEADER}{prompt}  should:\n    - $starts‸")[0] == "$starts_with"
    assert "should" in labels(f"{HEADER}{prompt}  ‸")


# --- When the list opens by itself


@every("line", ["- $‸", "- $ico‸", "- - $ico‸", "- fn: ico‸"])
def test_the_list_opens_by_itself_while_a_function_is_written(line: str) -> None:
    found = at(f"{POINTS}    {line}")
    assert found is not None
    assert found.opens_itself


@every("line", ["- ‸", "- na‸", "- fn: ‸", "- $ico‸: x", "- $ico‸ntains"])
def test_anything_else_waits_to_be_asked_for(line: str) -> None:
    found = at(f"{POINTS}    {line}")
    assert found is not None
    assert not found.opens_itself


@every(
    "marked",
    [
        f"{POINTS}    - It costs $‸",
        f"{HEADER}- prompt: |\n    - $‸",
        f"{HEADER}- prompt: |\n    It costs\n    - $‸",
        f"{HEADER}- prompt: It costs\n    $‸",
        f"{HEADER}- prompt: $‸",
        f"{POINTS}    # - $‸",
        f'{POINTS}    - "$‸',
        f"{PROMPT}  messages:\n    - $‸",
        f"{HEADER}- $‸",
        "title: x\ncontext:\n  prices:\n    - $‸",
        "---‸",
        f"{POINTS}    -‸",
        f"{POINTS}    -‸ Names it",
        f"{POINTS}    ‸- Names it",
        f"{PROMPT}  render_as:‸",
    ],
)
def test_nothing_is_offered_where_no_point_is_written(marked: str) -> None:
    assert at(marked) is None


# --- Keys


@every(
    ("marked", "some", "others"),
    [
        ("ti‸", {"title"}, {"role", "fn"}),
        ("title: x\n‸", {"models", "evaluationConfig", "prompts"}, {"title", "should", "configId"}),
        (f"{PROMPT}  ‸", {"should", "should_not", "ideal", "render_as"}, {"id", "prompt", "messages", "title"}),
        ("prompt: Why?\n‸", {"should", "ideal"}, {"models"}),
        ("title: x\n---\nprompt: Why?\n‸", {"should"}, {"models"}),
        ("prompts:\n  - id: one\n    ‸", {"prompt", "should"}, {"id", "models"}),
        (f"{POINTS}    - ‸", {"point", "fn", "weight", "$contains"}, {"role"}),
        (f"{POINTS}    - $is_json: true\n      ‸", {"weight", "citation"}, {"fn", "arg", "point", "$contains"}),
        (f"{POINTS}    - fn: is_json\n      ‸", {"arg", "weight"}, {"point", "fn", "$contains"}),
        (f"{POINTS}    - point: Names it\n      ‸", {"weight", "citation"}, {"arg", "$contains"}),
        (f"{PROMPT}  messages:\n    - ‸", {"user", "assistant", "role"}, {"fn"}),
        (f"{PROMPT}  messages:\n    - role: user\n      ‸", {"content"}, {"role", "user"}),
        (f"{PROMPT}  citation:\n    ‸", {"title", "url"}, {"id"}),
        ("references:\n  - title: An atlas\n    ‸", {"url"}, {"title", "image_url"}),
        ("author:\n  ‸", {"name", "image_url"}, {"title"}),
        ("tools:\n  - name: search\n    ‸", {"description", "schema"}, {"name", "url"}),
        ("toolUse:\n  ‸", {"mode", "maxSteps"}, {"name"}),
        ("externalServices:\n  checker:\n    ‸", {"url", "method"}, {"model"}),
        ("evaluationConfig:\n  ‸", {"llm-coverage"}, {"judges"}),
        ("evaluationConfig:\n  llm-coverage:\n    ‸", {"judges", "useExperimentalScale"}, {"judgeModels"}),
        (
            "evaluationConfig:\n  llm-coverage:\n    judges:\n      - id: mine\n        ‸",
            {"model", "approach"},
            {"id", "url"},
        ),
        ("models:\n  - id: local:one\n    ‸", {"url", "modelName", "inherit"}, {"id", "approach"}),
        ("title: x\n---\n- prompt: Why?\n  weight: 2\n  ‸\n  ideal: So.\n", {"should"}, {"ideal", "weight", "prompt"}),
    ],
)
def test_keys_are_those_of_the_mapping_without_those_that_it_has(marked: str, some: set[str], others: set[str]) -> None:
    found = set(labels(marked))
    assert some <= found
    assert found.isdisjoint(others)


@every("marked", ["context:\n  ‸", "tools:\n  - name: x\n    schema:\n      ‸", "externalServices:\n  ‸"])
def test_names_of_the_authors_own_are_not_guessed(marked: str) -> None:
    assert at(marked) is None


def test_a_key_under_another_name_is_not_offered_again() -> None:
    assert "should" not in labels(f"{PROMPT}  expect:\n    - Names it\n  sho‸")


@every(
    ("label", "written"),
    [("ideal", "  ideal: ‸"), ("should", "  should:\n    - ‸"), ("citation", "  citation: ‸")],
)
def test_a_key_is_written_with_the_beginning_of_what_it_holds(label: str, written: str) -> None:
    assert taken(f"{PROMPT}  ‸", label) == PROMPT + written


def test_a_key_that_has_its_value_is_renamed_alone() -> None:
    assert taken(f"{PROMPT}  ide‸: It must.", "ideal") == f"{PROMPT}  ideal‸: It must."


@every("part", [part for part in Part if part is not Part.FREE])
def test_every_key_says_in_a_sentence_what_it_is_for(part: Part) -> None:
    assert KEYS[part]
    assert all(key.summary.endswith(".") for key in KEYS[part])


def test_the_shorthand_of_messages_has_a_key_for_each_role() -> None:
    names = {name for key in KEYS[Part.MESSAGE] for name in key.read_as}
    assert {role.value for role in Role} | {"ai", "role", "content"} == names


# --- Values and names


@every(
    ("marked", "offered"),
    [
        (f"{PROMPT}  render_as: ‸", ["markdown", "html", "plaintext"]),
        (f"{PROMPT}  render_as: ht‸", ["html"]),
        (f"{PROMPT}  noCache: ‸", ["true", "false"]),
        (f"{PROMPT}  messages:\n    - role: ‸", ["user", "assistant", "system"]),
        (f"{PROMPT}  messages:\n    - role: 'us‸'", ["user"]),
        (
            "evaluationConfig:\n  llm-coverage:\n    judges:\n      - approach: ‸",
            ["holistic", "prompt-aware", "standard"],
        ),
        ("toolUse:\n  mode: ‸", ["trace-only"]),
        (f"{POINTS}    - $ref: ‸", ["scoreBand"]),
        (f"{POINTS}    - $ref: sc‸", ["scoreBand"]),
        (f"{POINTS}    - $tool_called: ‸", ["calculator", "search"]),
        (f"{POINTS}    - $not_tool_called: 's‸'", ["search"]),
        (f"{POINTS}    - $tool_args_match: {{ name: ‸ }}", ["calculator", "search"]),
        (f"{POINTS}    - $tool_call_order: [search, ca‸]", ["calculator"]),
        (f"{POINTS}    - $tool_call_order:\n        - sea‸", ["search"]),
        (f"{POINTS}    - $call: {{ service: ‸ }}", ["fact-checker"]),
        (f"{PROMPT}  requiredTools:\n    - ‸", ["calculator", "search"]),
        (f"{PROMPT}  requiredTools: [‸]", ["calculator", "search"]),
        ("models:\n  - HOU‸", ["HOUSING"]),
        ("models: [CORE, HOU‸]", ["HOUSING"]),
        ("models: [\n  CORE,\n  HOU‸", ["HOUSING"]),
    ],
)
def test_values_and_names_are_those_of_the_key(marked: str, offered: list[str]) -> None:
    assert labels(marked) == offered


def test_models_are_collections_and_those_that_the_documents_name() -> None:
    found = labels("models:\n  - ‸")
    assert {"CORE", "HOUSING", "openai:gpt-4o-mini"} <= set(found)


def test_a_value_in_quotation_marks_gets_its_second_one() -> None:
    assert taken(f"{POINTS}    - $ref: 'sc‸", "scoreBand") == f"{POINTS}    - $ref: 'scoreBand'‸"


def test_a_quotation_mark_that_is_there_stays_the_only_one() -> None:
    assert taken(f"{POINTS}    - $ref: 'sc‸'", "scoreBand") == f"{POINTS}    - $ref: 'scoreBand‸'"


@every("name", ["12", "true", "two words", "* star", "ends:"])
def test_a_name_that_yaml_would_read_otherwise_is_quoted(name: str) -> None:
    text = f"{POINTS}    - $tool_called: "
    found = complete(text, len(text), Known(tools=(name,)))
    assert found is not None
    assert found.candidates[0].text == f"'{name}'"


def test_the_header_tells_its_names() -> None:
    text = (
        "point_defs: {band: 'r.length'}\ntools: [{name: search}]\nexternalServices: {check: {url: 'https://x.org'}}\n"
        "models: [CORE]\nevaluationConfig: {llm-coverage: {judges: [{model: 'openai:gpt-4o', approach: holistic}]}}\n"
        "---\n- prompt: Why?\n"
    )
    assert names_in(parse(text).blueprint.header) == Known(
        definitions=("band",), tools=("search",), services=("check",), models=("CORE", "openai:gpt-4o")
    )


# --- JSON

JSON = '{"title": "x", "prompts": [{"id": "one", "points": [{%s}]}]}'


def test_json_takes_functions_in_its_own_quotation_marks() -> None:
    assert taken(JSON % '"$ico‸', "$icontains").startswith(
        '{"title": "x", "prompts": [{"id": "one", "points": [{"$icontains": "‸"'
    )


def test_json_with_the_mark_closed_and_a_value_takes_the_name_alone() -> None:
    assert taken(JSON % '"$ico‸": "days"', "$icontains") == JSON % '"$icontains‸": "days"'


def test_json_lists_are_written_in_brackets() -> None:
    assert '"$contains_any_of": ["‸"]' in taken(JSON % '"$contains_any‸', "$contains_any_of")


def test_json_without_blanks_is_read_too() -> None:
    assert labels('{"prompts":[{"id":"one","messages":[{"role":"us‸') == ["user"]


@every("prompt", ['{"id": one}', '{"id": "one",}', "{\"id\": 'one'}"])
def test_json_below_a_slip_still_tells_a_point(prompt: str) -> None:
    assert labels(f'{{"prompts": [{prompt}\n, {{"points": [{{"$starts‸')[0] == "$starts_with"


def test_json_far_from_its_beginning_still_tells_a_point() -> None:
    many = ",\n".join(f'{{"id": "p{number}", "points": ["Names {number}"]}}' for number in range(400))
    marked = f'{{"prompts": [\n{many},\n{{"id": "last", "points": [\n{{"$starts‸'
    assert labels(marked)[0] == "$starts_with"


# --- Laws


@cache
def corpus() -> tuple[str, ...]:
    return tuple(path.read_bytes().decode("utf-8", "replace") for path in corpus_files())


def check_law(text: str, offset: int) -> None:
    found = complete(text, offset, KNOWN)
    if found is None:
        return
    lines = LineIndex(text)
    assert found.span.start <= offset <= found.span.end
    assert lines.position(found.span.start).line == lines.position(found.span.end).line == lines.position(offset).line
    assert found.candidates
    assert all(0 <= each.cursor <= len(each.text) for each in found.candidates)


@needs_corpus
@settings(deadline=None)
@given(st.data())
def test_at_any_place_of_a_file_cut_off_anywhere_the_span_touches_the_cursor(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(corpus()))
    end = data.draw(st.integers(0, len(text)))
    offset = data.draw(st.integers(max(0, end - 300), end))
    if not (0 < offset < end and text[offset - 1 : offset + 1] == "\r\n"):
        check_law(text[:end], offset)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "- ",
                "  ",
                "\n",
                "\r",
                "$",
                "$con",
                ": ",
                "[",
                "]",
                "{",
                "}",
                ",",
                '"',
                "'",
                "#",
                "should:",
                "prompt",
                "fn",
                "|",
                "---",
                "\t",
            ]
        ),
        max_size=30,
    ).map("".join),
    st.integers(0, 120),
)
def test_in_any_scrap_the_span_touches_the_cursor(text: str, offset: int) -> None:
    check_law(text, min(offset, len(text)))


@every("function", ALL, ids=lambda function: function.name)
def test_every_function_taken_and_given_the_argument_of_its_example_is_a_sound_point(function: PointFunction) -> None:
    written = taken(f"{POINTS}    - ${function.name}‸", f"${function.name}")
    begun = written[: written.index(f"${function.name}:") + len(function.name) + 2]
    _, _, argument = function.example.partition(": ")
    found = {each.slug for each in check(parse(f"{begun} {argument}\n"))}
    assert found.isdisjoint({"unknown-function", "bad-arguments", "invalid-yaml"})


@every(
    "function",
    [each for each in ALL if "[n," not in each.argument and "low" not in each.argument],
    ids=lambda function: function.name,
)
def test_what_is_written_for_a_function_is_yaml_as_it_stands(function: PointFunction) -> None:
    written = taken(f"{POINTS}    - ${function.name}‸", f"${function.name}").replace("‸", "")
    parsed = parse(written)
    assert parsed.tree.error is None
    assert parsed.blueprint.prompts[0].rubrics[0].points()[-1].function is not None
