"""Caching the newest view, so that an unchanged view is the same object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

View = TypeVar("View")


class Same:
    """Part of a version: an object compared by identity. It is kept alive, so that its identity is not reused."""

    __slots__ = ("_object",)

    def __init__(self, of: object) -> None:
        self._object = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._object is other._object

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Latest(Generic[View]):
    """The newest view of one kind. A pane that gets the same object again has nothing to draw."""

    def __init__(self) -> None:
        self._version: tuple[object, ...] | None = None
        self._view: View | None = None

    def of(self, version: tuple[object, ...], make: Callable[[], View]) -> View:
        """The view of this version; the present object if the version, or the new view, equals it."""
        if self._view is None or version != self._version:
            view = self.same(make())
            self._version = version
            return view
        return self._view

    def same(self, view: View) -> View:
        """The present object if it equals `view`, else `view`; for views that are quick to make."""
        self._version = None
        if self._view is None or view != self._view:
            self._view = view
        return self._view
