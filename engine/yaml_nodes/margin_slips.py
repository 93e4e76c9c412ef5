"""Slips of layout: blocks too far left or right, text that is not indented, an item without its dash."""

from __future__ import annotations

from collections.abc import Iterator

from engine.yaml_nodes.key_names import begins_prompt
from engine.yaml_nodes.missing_dashes import missing_dashes, open_items
from engine.yaml_nodes.missing_separators import missing_separators
from engine.yaml_nodes.moved_blocks import moved_blocks
from engine.yaml_nodes.slips import Lines, Slip
from engine.yaml_nodes.stray_prose import prose_above
from engine.yaml_nodes.unindented_texts import unindented_texts


def margin_slips(lines: Lines, index: int) -> Iterator[Slip]:
    """The slips of layout that may be why reading stops at the line `index`, the likeliest first."""
    line = lines.lines[index]
    if line.column < 0:
        return
    yield from prose_above(lines, index)
    if line.column == 0 and begins_prompt(line.written):
        yield from missing_separators(lines, index)
        return
    above = lines.above(index)
    is_value = above is not None and lines.lines[above].written.rstrip().endswith(":")
    is_item = not is_value and any(lines.lines[each].column == line.column for each in open_items(lines, index))
    likeliest = (missing_dashes, unindented_texts) if is_item else (unindented_texts, missing_dashes)
    for slips in (*likeliest, moved_blocks):
        yield from slips(lines, index)
