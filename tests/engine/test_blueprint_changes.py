"""What changed in meaning between two versions: which prompt and point is which, and what that does to results."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.study.change_text import header_lines, prompt_lines
from engine.study.changes import (
    BlueprintChanges,
    Consequence,
    HeaderPart,
    PointChange,
    PointChangeKind,
    PromptChange,
    PromptField,
    PromptState,
    changes_between,
)
from tests.many_cases import every

RENT = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
    - Is friendly and calm
    - Advises to pay in time
"""
PATHS = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the lease
    - - Names the day of the month
      - Says that it is every month
    - - Refers to the lease for the date
"""


def changes(old: str, new: str) -> BlueprintChanges:
    return changes_between(parse(old).blueprint, parse(new).blueprint)


def only(old: str, new: str) -> PromptChange:
    [change] = changes(old, new).prompts
    return change


def point(old: str, new: str, kind: PointChangeKind) -> PointChange:
    [found] = [each for each in only(old, new).points if kind in each.kinds]
    return found


def text(old: str, new: str) -> str:
    return "\n".join(prompt_lines(only(old, new)))


# --- Which prompt is which


def test_a_prompt_keeps_its_place_by_its_id_when_all_of_it_changes() -> None:
    change = only(RENT, "- id: rent\n  prompt: Who is the mayor?\n  should: [Names her]\n")
    assert change.state is PromptState.CHANGED
    assert PromptField.MESSAGES in {each.field for each in change.fields}


def test_an_id_that_changes_ends_the_history() -> None:
    change = only(RENT, RENT.replace("id: rent", "id: rent-due"))
    assert change.consequences == (Consequence.HISTORY,)
    assert "those of `rent` are not continued" in "\n".join(prompt_lines(change))


def test_a_made_id_ends_the_history_with_each_edit_of_the_rubric() -> None:
    bare = RENT.replace("- id: rent\n  prompt", "- prompt")
    change = only(bare, bare.replace("Names the lease", "Names the contract"))
    assert Consequence.HISTORY in change.consequences
    assert "an `id:` keeps them" in "\n".join(prompt_lines(change))


def test_a_prompt_without_id_and_messages_is_found_again() -> None:
    bare = "- should: [Names it]\n- should: [Names it, Is calm]\n"
    assert changes(bare, bare).is_empty


def test_a_prompt_with_another_id_and_other_words_is_found_by_its_likeness() -> None:
    change = only(RENT, RENT.replace("id: rent", "id: due").replace("the rent due?", "the rent to be paid?"))
    assert change.state is PromptState.CHANGED


def test_another_prompt_of_a_template_is_new_and_no_rewording() -> None:
    file = "".join(
        f"- id: q{n}\n  prompt: Which of these is right in question {n}?\n  should: [Names {n}]\n" for n in "123"
    )
    states = {each.state for each in changes(file, file.replace("q3", "q9").replace("3", "9")).prompts}
    assert states == {PromptState.ADDED, PromptState.REMOVED}


def test_a_prompt_that_takes_the_id_of_another_says_whose_question_it_has() -> None:
    two = "- id: q1\n  prompt: When?\n  should: [A]\n- id: q2\n  prompt: Where?\n  should: [B]\n"
    new = "- id: q1\n  prompt: Where?\n  should: [B]\n"
    changed, removed = changes(two, new).prompts
    assert (changed.taken_from, removed.state) == ("q2", PromptState.REMOVED)


@every("moving", ["abcd", "bcda", "dabc", "bacd"])
def test_the_fewest_prompts_are_said_to_have_moved(moving: str) -> None:
    def file(order: str) -> str:
        return "".join(f"- id: {each}\n  prompt: What of {each}?\n  should: [X]\n" for each in order)

    moved = [each for each in changes(file("abcd"), file(moving)).prompts if each.moved]
    assert len(moved) == (moving != "abcd")


# --- Which point is which


@every(
    ("old", "new", "kind"),
    [
        ("Names the lease", "Names the lease and its date", PointChangeKind.REWORDED),
        ("$contains: 3rd", "$icontains: 3rd", PointChangeKind.CHECK),
        ("$contains: 3rd", "$contains: third", PointChangeKind.CHECK),
        ("- Names the lease", "- {text: Names the lease, weight: 2}", PointChangeKind.WEIGHT),
        ("- Names the lease", "- Names the lease: The law", PointChangeKind.CITATION),
        ("    - Names the lease\n", "", PointChangeKind.REMOVED),
        ("- Names the lease", "- - Names the lease", PointChangeKind.MOVED_PATH),
        ("- Names the lease\n", "- Names the lease\n    - Is on time\n", PointChangeKind.ADDED),
    ],
)
def test_a_change_of_a_point_has_its_kind(old: str, new: str, kind: PointChangeKind) -> None:
    assert point(RENT, RENT.replace(old, new), kind)


@pytest.mark.parametrize("new", ["Quotes law", "$contains: lease"])
def test_another_point_without_a_likeness_is_one_more_and_the_first_is_gone(new: str) -> None:
    kinds = {kind for each in only(RENT, RENT.replace("Names the lease", new)).points for kind in each.kinds}
    assert kinds == {PointChangeKind.ADDED, PointChangeKind.REMOVED}


def test_a_point_that_moves_to_should_not_counts_inverted() -> None:
    new = RENT.replace("    - Advises to pay in time\n", "  should_not:\n    - Advises to pay in time\n")
    change = point(RENT, new, PointChangeKind.MOVED_BLOCK)
    assert change.kinds == (PointChangeKind.MOVED_BLOCK,)
    assert "moved to should_not (it counts inverted now): “Advises to pay in time”" in text(RENT, new)


def test_a_point_can_move_and_be_reworded_at_once() -> None:
    new = RENT.replace("    - Advises to pay in time\n", "  should_not:\n    - Advises not to pay in time\n")
    assert point(RENT, new, PointChangeKind.MOVED_BLOCK).kinds == (
        PointChangeKind.MOVED_BLOCK,
        PointChangeKind.REWORDED,
    )


def test_points_in_another_order_are_no_change_of_a_point() -> None:
    new = RENT.replace("    - $contains: 3rd\n", "") + "    - $contains: 3rd\n"
    change = only(RENT, new)
    assert (change.points, change.points_reordered) == ((), True)


def test_white_space_in_a_criterion_makes_verdicts_on_it_count_no_longer() -> None:
    assert "only white space differs" in text(RENT, RENT.replace("- Names the lease", '- "Names  the lease"'))


def test_paths_in_another_order_are_no_change_of_a_point() -> None:
    first = "    - - Names the day of the month\n      - Says that it is every month\n"
    second = "    - - Refers to the lease for the date\n"
    change = only(PATHS, PATHS.replace(first + second, second + first))
    assert (change.points, change.points_reordered) == ((), True)


def test_a_point_that_moves_to_another_path_is_said_to() -> None:
    moving = "      - Says that it is every month\n"
    new = PATHS.replace(moving, "") + moving
    assert "moved to path 2 (beside other points than before): “Says that it is every month”" in text(PATHS, new)


# --- Shares


def test_a_share_is_that_of_the_group_by_weight() -> None:
    change = point(PATHS, PATHS.replace("- Names the lease", "- Names the contract"), PointChangeKind.REWORDED)
    assert change.share == pytest.approx(0.5)


def test_points_of_which_only_the_share_changed_are_one_line() -> None:
    assert "share of 4 unchanged points: 25% → 20% of the score each" in text(RENT, f"{RENT}    - Is on time\n")


def test_the_first_path_halves_the_required_points() -> None:
    change = only(RENT, f"{RENT}    - - Names another day\n")
    shares = {each.after.share for each in change.points if each.before is not None and each.after is not None}
    assert shares == {0.125}


# --- Consequences


def test_another_wording_of_the_prompt_makes_answers_not_comparable() -> None:
    change = only(RENT, RENT.replace("When is", "On which day is"))
    assert change.consequences == (Consequence.ANSWERS,)


def test_a_system_prompt_of_its_own_makes_answers_not_comparable() -> None:
    change = only(RENT, f"{RENT}  system: Be brief.\n")
    assert change.consequences == (Consequence.ANSWERS,)


def test_a_system_prompt_that_was_in_force_already_changes_nothing() -> None:
    header = "system: Be brief.\n---\n"
    assert changes(header + RENT, f"{header}{RENT}  system: Be brief.\n").is_empty


def test_holistic_judges_see_other_criteria_so_verdicts_are_carried_over() -> None:
    change = only(RENT, RENT.replace("    - Names the lease\n", ""))
    assert change.consequences == (Consequence.SCORES, Consequence.VERDICTS)


def test_judges_that_see_one_criterion_keep_their_verdicts() -> None:
    header = "evaluationConfig: {llm-coverage: {judges: [{model: 'openai:gpt-4o', approach: standard}]}}\n---\n"
    change = only(header + RENT, header + RENT.replace("    - Names the lease\n", ""))
    assert change.consequences == (Consequence.SCORES,)


def test_another_check_leaves_verdicts_as_they_are() -> None:
    assert only(RENT, RENT.replace("3rd\n    -", "third\n    -")).consequences == (Consequence.SCORES,)


def test_the_fields_of_a_prompt_that_score_nothing_have_no_consequence() -> None:
    change = only(RENT, RENT.replace("On the 3rd.", "On the 4th.") + "  description: Of rents\n  render_as: html\n")
    fields = {PromptField.IDEAL, PromptField.DESCRIPTION, PromptField.RENDER_AS}
    assert ({each.field for each in change.fields}, change.consequences) == (fields, ())


def test_the_weight_of_a_prompt_changes_its_share_of_the_blueprint() -> None:
    two = f"{RENT}- id: b\n  prompt: B?\n  should: [B]\n"
    assert "weight of the prompt 1 → 3: 50% → 75% of the blueprint's score" in text(
        two, two.replace("id: rent", "id: rent\n  weight: 3")
    )


# --- The header


@every(
    ("old", "new", "line"),
    [
        ("models: [CORE]", "models: [CORE, 'openai:gpt-4o']", "models: added openai:gpt-4o"),
        ("temperature: 0", "temperature: 0.7", "temperature: 0 → 0.7"),
        ("temperatures: [0, 1]", "temperatures: [0, 0.5]", "temperatures: 0 and 1 → 0 and 0.5"),
        ("tags: [a]", "tags: [b]", "tags: added b; removed a"),
        ("system: Be brief.", "system: Be kind.", "system prompt: “Be brief.” → “Be kind.”"),
        (
            "system: [A, null]",
            "system: [null, A]",
            "system prompt: others have another place, so `[sp_idx:N]` in results names other ones than before",
        ),
        ("system: [A, B]", "system: [A, C]", "system prompt: added “C”; removed “B” (each system prompt has results"),
        ("temperature: 0.7", "temperatures: [0, 0.7]", "temperatures: 0.7 → 0 and 0.7 (each temperature has results"),
        ("tools: [{name: a}]", "tools: [{name: a, description: B}]", "tools: changed a"),
        ("description: A", "description: B", "description: “A” → “B” (holistic judges are shown it"),
        (
            "title: A",
            "title: A\nevaluationConfig: {llm-coverage: {judges: [{model: 'openai:gpt-4o', approach: standard}]}}",
            "judges: added openai:gpt-4o (standard); removed",
        ),
    ],
)
def test_a_change_of_the_header_is_said_in_words(old: str, new: str, line: str) -> None:
    found = changes(f"{old}\n---\n{RENT}", f"{new}\n---\n{RENT}")
    assert any(each.startswith(line) for each in header_lines(found.header))
    assert found.prompts == ()


@every(
    ("old", "new"),
    [
        ("title: A", "title: A\nmodels: [CORE]"),
        ("title: A", "title: A\ntemperature: 0"),
        ("title: A", "title: A\nnoCache: false"),
        ("models: [a:b, c:d]", "models: [c:d, a:b]"),
        ("title: A\ntags: [x, y]", "tags: [y, x]\ntitle: A"),
        ("title: A", "title: A\npoint_defs: {unused: 'true'}"),
    ],
)
def test_what_is_in_force_already_is_no_change(old: str, new: str) -> None:
    assert changes(f"{old}\n---\n{RENT}", f"{new}\n---\n{RENT}").is_empty


def test_what_a_custom_model_holds_is_not_shown() -> None:
    model = (
        "models: [{id: 'own:a', url: 'http://a.test', modelName: a, headers: {Authorization: Bearer SECRET}}]\n---\n"
    )
    found = changes(model + RENT, model.replace("SECRET", "OTHER") + RENT)
    [change] = found.header
    assert (change.part, change.changed) == (HeaderPart.MODELS, ("own:a",))
    assert "OTHER" not in repr(change)
