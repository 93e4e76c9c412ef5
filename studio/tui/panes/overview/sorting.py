"""The order of the prompts, which stays fixed while scores arrive."""

from __future__ import annotations

from studio.session.views.overview_view import Order, Overview, PromptStanding, in_order


class Sorting:
    """The chosen order. During runs, the prompts keep the places from before these runs."""

    def __init__(self) -> None:
        self.order = Order.COST
        self._places: tuple[int, ...] = ()

    def choose(self, order: Order) -> None:
        """Sort by `order`, even during runs."""
        self.order = order
        self._places = ()

    def arranged(self, view: Overview) -> tuple[PromptStanding, ...]:
        """The prompts of `view` in order."""
        by_number = {each.number: each for each in view.prompts}
        if not view.is_running or sorted(self._places) != list(by_number):
            self._places = tuple(each.number for each in in_order(view.prompts, self.order, view.total))
        return tuple([by_number[number] for number in self._places])
