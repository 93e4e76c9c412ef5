"""In which order the prompts stand, so that none moves under the eye while scores come in."""

from __future__ import annotations

from studio.session.views.overview_view import Order, Overview, PromptStanding, in_order


class Sorting:
    """The order chosen. While runs go on, the prompts keep the places that they had when these began."""

    def __init__(self) -> None:
        self.order = Order.COST
        self._places: tuple[int, ...] = ()

    def choose(self, order: Order) -> None:
        """Sort by `order` from now on, whatever goes on."""
        self.order = order
        self._places = ()

    def arranged(self, view: Overview) -> tuple[PromptStanding, ...]:
        """The prompts of `view` in their order."""
        by_number = {each.number: each for each in view.prompts}
        if not view.is_running or sorted(self._places) != list(by_number):
            self._places = tuple(each.number for each in in_order(view.prompts, self.order, view.total))
        return tuple([by_number[number] for number in self._places])
