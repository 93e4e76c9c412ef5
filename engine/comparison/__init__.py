"""Answers compared with each other: grids of scores, differences by prompt and criterion, and where they come from."""
