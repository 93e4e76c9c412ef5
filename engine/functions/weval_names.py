"""The names of point functions in Weval's program (platform A6)."""

from __future__ import annotations

_POSITIVE = """
    contains contain icontains icontain contains_word contain_word icontains_word icontain_word
    matches match imatches imatch starts_with istarts_with istart_with ends_with iends_with iend_with
    contains_any_of icontains_any_of icontain_any_of
    contains_all_of contain_all_of icontains_all_of icontain_all_of
    contains_at_least_n_of contain_at_least_n_of icontains_at_least_n_of icontain_at_least_n_of
    matches_all_of match_all_of imatch_all_of matches_at_least_n_of match_at_least_n_of imatch_at_least_n_of
    word_count_between is_json js expr call external factcheck
    tool_called tool_args_match tool_call_count_between tool_call_order
"""
_NEGATIVE = """
    not_contains not_contain not_icontains not_icontain
    not_contains_word not_contain_word not_icontains_word not_icontain_word
    not_contains_any_of not_contain_any_of not_icontains_any_of not_icontain_any_of
    not_contains_all_of not_contain_all_of not_icontains_all_of not_icontain_all_of
    not_matches not_match not_imatches not_imatch
    not_starts_with not_start_with not_istarts_with not_istart_with
    not_ends_with not_end_with not_iends_with not_iend_with
"""

REGISTERED = frozenset((*_POSITIVE.split(), *_NEGATIVE.split()))
"""All names at evaluation. A point with any other name is left out of the mean there."""


def as_parsed(name: str) -> str:
    """`name` after Weval's parser, which adds the `s` to a leading `contain` or `match` (A7)."""
    for stem, whole in (("contain", "contains"), ("match", "matches")):
        if name.startswith(stem) and not name.startswith(whole):
            return whole + name.removeprefix(stem)
    return name
