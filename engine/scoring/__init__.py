"""Assessments → path scores → score, and the `Explanation` that can be drawn or printed."""
