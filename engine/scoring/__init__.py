"""Assessments → path scores → score, with an `Explanation` of the arithmetic."""
