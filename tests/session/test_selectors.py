"""What is shown of a state is made anew only where one of its parts is another object."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from studio.session.parts import Part, selector


class Shown(Part):
    """Shows the first of two fields."""

    made = 0

    @selector(lambda of: of.session.state[0])
    def first(self) -> list[int]:
        """The first field in a list."""
        self.made += 1
        return list(self.session.state[0])  # pyright: ignore

    @selector()
    def second(self) -> list[int]:
        """The second field in a list, made at each call."""
        return list(self.session.state[1])  # pyright: ignore


def shown(*state: object) -> tuple[Shown, Any]:
    tasks = SimpleNamespace(start=None)
    session: Any = SimpleNamespace(state=state, seen={}, host=None, resources=None, tasks=tasks)
    return Shown(session), session


def test_a_view_of_the_same_parts_is_made_once() -> None:
    part, session = shown([1], [2])
    first = part.first()
    session.state = (session.state[0], [3])
    assert (part.first() is first, part.made) == (True, 1)


def test_a_part_that_is_another_object_makes_it_anew() -> None:
    part, session = shown([1], [2])
    first = part.first()
    session.state = ([2], [2])
    assert (part.first(), first) == ([2], [1])


def test_a_new_view_that_equals_the_one_before_is_the_very_same() -> None:
    part, session = shown([1], [2])
    first, second = part.first(), part.second()
    session.state = ([1], [2])
    assert (part.first() is first, part.second() is second) == (True, True)
