"""Views that are asked for again and again, and seldom are another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

View = TypeVar("View")


class Same:
    """Part of a version: an object that is the same only as itself, whatever it equals. It stays alive meanwhile, so
    that no other one is taken for it."""

    __slots__ = ("_object",)

    def __init__(self, of: object) -> None:
        self._object = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._object is other._object

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Latest(Generic[View]):
    """The newest view of one kind. A pane that is given the very same object has nothing to draw."""

    def __init__(self) -> None:
        self._version: tuple[object, ...] | None = None
        self._view: View | None = None

    def of(self, version: tuple[object, ...], make: Callable[[], View]) -> View:
        """The view of this version: the one that is there, also where a new one would equal it, or a new one."""
        if self._view is None or version != self._version:
            view = self.same(make())
            self._version = version
            return view
        return self._view

    def same(self, view: View) -> View:
        """The one that is there, where it equals `view`; for views that are made quicker than they are compared."""
        self._version = None
        if self._view is None or view != self._view:
            self._view = view
        return self._view
