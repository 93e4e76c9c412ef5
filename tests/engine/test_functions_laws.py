"""Laws of searching: the same answers as JavaScript gives, and evidence that is in the response."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Checked, Subject
from engine.functions.tasks import Matches, RegexTask, ScriptTask, Value
from engine.functions.v8 import JavaScript
from tests.thoroughness import tried

TRICKY = "aAsSſkKKiIİıßẞςσΣμµ😀\ud83d\ude00𐐀𐐨\u0301\u00a0\ufeff\u0085\n -_.*"
texts = st.text(alphabet=st.one_of(st.sampled_from(TRICKY), st.characters(max_codepoint=0x2FF)), max_size=30)
wanteds = st.text(alphabet=TRICKY, max_size=4)

IN_JAVASCRIPT = """
const lower = r.toLowerCase(), wanted = w.toLowerCase();
[
  r.includes(w), lower.includes(wanted),
  r.startsWith(w), lower.startsWith(wanted),
  r.endsWith(w), lower.endsWith(wanted),
]
"""
SAME_HERE = ("contains", "icontains", "starts_with", "istarts_with", "ends_with", "iends_with")


@settings(max_examples=tried(40, 200), deadline=None)
@given(response=texts, wanted=wanteds)
def test_plain_searches_answer_as_javascript_does(response: str, wanted: str, javascript: JavaScript) -> None:
    (there,) = javascript.run([ScriptTask(IN_JAVASCRIPT, (("r", response), ("w", wanted)))])
    results = functions.run([FunctionCall(name, wanted) for name in SAME_HERE], Subject(response), javascript)
    assert there == Value("array", [isinstance(result, Checked) and result.extent == 1 for result in results])


@settings(max_examples=tried(40, 200), deadline=None)
@given(response=texts, wanted=wanteds)
def test_evidence_lies_in_the_response(response: str, wanted: str, javascript: JavaScript) -> None:
    names = (*SAME_HERE, "contains_word", "icontains_word")
    for result in functions.run([FunctionCall(name, wanted) for name in names], Subject(response), javascript):
        assert isinstance(result, Checked)
        assert all(0 <= span.start <= span.end <= len(response) for span in result.evidence)
        assert bool(result.evidence) == (result.extent == 1)


@settings(max_examples=tried(25, 100), deadline=None)
@given(response=texts, wanted=st.sampled_from([character for character in TRICKY if character not in "\ud83d\ude00*."]))
def test_a_matched_character_is_the_one_at_its_place(response: str, wanted: str, javascript: JavaScript) -> None:
    (found,) = javascript.run([RegexTask(wanted, "u", response)])
    assert isinstance(found, Matches)
    assert {span.of(response) for span in found.spans} <= {wanted}


@settings(max_examples=tried(25, 100), deadline=None)
@given(response=texts, wanted=st.lists(wanteds, min_size=1, max_size=4))
def test_a_twin_gives_the_rest_of_the_mark(response: str, wanted: list[str], javascript: JavaScript) -> None:
    calls = [FunctionCall(name, [*wanted]) for name in ("icontains_all_of", "not_icontains_all_of")]
    plain, twin = functions.run(calls, Subject(response), javascript)
    assert isinstance(plain, Checked)
    assert isinstance(twin, Checked)
    assert twin.extent == 1 - plain.extent
