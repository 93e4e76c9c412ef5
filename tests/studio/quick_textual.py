"""Textual, quicker in tests: style sheets are parsed once, styles found once, and waiting asks no widget.

What a node looks like follows from the rules, and from the types, names and states on its path from the app. What was
found for one node is right for all that are alike, in each app of a worker. With `TEST_THOROUGHLY=1` all is Textual's
own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import pytest
from textual import _wait
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout

from tests.thoroughness import THOROUGH

_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
_REST, _TURNS = 0.004, 50

apply_as_textual = Stylesheet.apply
"""How Textual styles a node."""

Own = tuple[type[DOMNode], str | None, frozenset[str]]


class Found(NamedTuple):
    """What a sheet finds for a node: what Textual remembers of its rules, and the rules themselves, if any."""

    flags: tuple[bool, ...]
    rules: Any


@contextmanager
def quick_textual() -> Iterator[None]:
    """Let Textual be quicker until the end."""
    with pytest.MonkeyPatch.context() as patch:
        _parse_once(patch)
        if not THOROUGH:
            _style_once(patch)
            patch.setattr(Pilot, "_wait_for_screen", _quiet)
            patch.setattr(_wait, "SLEEP_GRANULARITY", _REST)
        yield


def _parse_once(patch: pytest.MonkeyPatch) -> None:
    """Parse and index each style sheet once in a worker, and not once in each app: its rules are never changed."""
    parse, index = Stylesheet._parse_rules, Stylesheet.rules_map.fget
    assert index is not None
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}
    indexed: dict[tuple[int, ...], dict[str, list[RuleSet]]] = {}

    def parse_once(sheet: Stylesheet, css: str, *where: Any, **others: Any) -> list[RuleSet]:
        own = (css, where, *others.items())
        if own not in sheet._parse_cache:
            shared = (*own, frozenset(sheet._variables.items()))
            if shared not in parsed:
                parsed[shared] = parse(sheet, css, *where, **others)
            sheet._parse_cache[own] = parsed[shared]
        return sheet._parse_cache[own]

    def index_once(sheet: Stylesheet) -> dict[str, list[RuleSet]]:
        if sheet._rules_map is None:
            rules = tuple(map(id, sheet.rules))
            if rules not in indexed:
                indexed[rules] = index(sheet)
            sheet._rules_map = indexed[rules]
        return sheet._rules_map

    patch.setattr(Stylesheet, "_parse_rules", parse_once)
    patch.setattr(Stylesheet, "rules_map", property(index_once))
    patch.setattr(RuleSet, "__hash__", object.__hash__)


def _style_once(patch: pytest.MonkeyPatch) -> None:
    """Match the rules of a sheet with a node once for all nodes that are alike, and change only what is other."""
    replace, components = Stylesheet.replace_rules, Stylesheet._process_component_classes
    candidates: dict[tuple[int, Own], tuple[RuleSet, ...]] = {}
    asked: dict[tuple[object, ...], list[tuple[int, set[str]]]] = {}
    found: dict[tuple[object, ...], Found] = {}
    taken: dict[int, Any] = {}
    parts: dict[str, DOMNode] = {}

    def rules_of(sheet: Stylesheet, node: DOMNode, own: Own) -> tuple[RuleSet, ...]:
        by_name = sheet.rules_map
        key = (id(by_name), own)
        if key not in candidates:
            wanted = {rule for name in by_name.keys() & node._selector_names for rule in by_name[name]}
            candidates[key] = tuple(rule for rule in sheet.rules if rule in wanted)
        return candidates[key]

    def key_of(sheet: Stylesheet, path: list[DOMNode], kinds: tuple[Own, ...]) -> tuple[object, ...]:
        rules = rules_of(sheet, path[-1], kinds[-1])
        if (rules, kinds) not in asked:
            selectors = [each for rule in rules for chosen in rule.selector_set for each in chosen.selectors]
            asked[rules, kinds] = [
                (place, each.pseudo_classes)
                for each in selectors
                if each.pseudo_classes
                for place, node in enumerate(path)
                if each._check(node)
            ]
        return (rules, kinds, *(path[place].has_pseudo_classes(states) for place, states in asked[rules, kinds]))

    def apply_once(sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: object = None) -> None:
        path = node.css_path_nodes
        key = key_of(sheet, path, tuple(map(_own, path)))
        if key not in found:
            taken[id(node)] = None
            apply_as_textual(sheet, node, animate=animate)
            found[key] = Found(tuple(getattr(node, flag) for flag in _FLAGS), taken.pop(id(node)))
            return
        known = found[key]
        for flag, value in zip(_FLAGS, known.flags, strict=True):
            setattr(node, flag, value)
        if known.rules is not None:
            sheet.replace_rules(node, known.rules, animate=animate)
        sheet._process_component_classes(node)

    def replace_others(node: DOMNode, rules: Any, animate: bool = False) -> None:
        if id(node) in taken:
            taken[id(node)] = rules
        if animate or node.styles.base._rules != rules:
            replace(node, rules, animate=animate)
        else:
            node.notify_style_update()

    def other_components(sheet: Stylesheet, node: DOMNode) -> None:
        path = node.css_path_nodes
        kinds = tuple(map(_own, path))
        for name in node._get_component_classes():
            part = parts.get(name) or parts.setdefault(name, DOMNode(classes=name))
            key = key_of(sheet, [*path, part], (*kinds, _own(part)))
            styles = node._component_styles.get(name)
            if styles is None or key not in found or styles.base._rules != (found[key].rules or {}):
                components(sheet, node)
                return

    patch.setattr(Stylesheet, "apply", apply_once)
    patch.setattr(Stylesheet, "replace_rules", staticmethod(replace_others))
    patch.setattr(Stylesheet, "_process_component_classes", other_components)


def _own(node: DOMNode) -> Own:
    return type(node), node._id, frozenset(node._classes)


async def _quiet(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """Wait until the screen and its widgets have no message left, without sending one to each."""
    app: App[Any] = pilot.app
    deadline = asyncio.get_running_loop().time() + timeout
    for turn in count():
        await asyncio.sleep(0 if turn < _TURNS else 0.001)
        if app._exception_event.is_set() or not app.screen_stack:
            return False
        if all(map(_is_idle, (app, *app.screen.walk_children(with_self=True)))):
            if app._resize_event is not None:  # no other size comes within its eight milliseconds
                app._check_resize()
            elif app.screen._callbacks:  # what waits for the next frame need not wait for its time
                app.screen._on_timer_update()
            else:
                return True
        if asyncio.get_running_loop().time() > deadline:
            raise WaitForScreenTimeout("The screen does not come to rest.")
    return True


def _is_idle(pump: MessagePump) -> bool:
    queue: Any = pump._message_queue
    return pump._closed or pump._closing or (queue.empty() and bool(queue.ready_event._waiters))
