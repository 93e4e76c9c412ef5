"""What is known of a rubric by its answers: cases, grading, wordings, comparisons, and changes between versions.

Three families, each with a prefix or a face of its own: labelled answers (`case_reader.read_cases`,
`case_scoring.CaseCheck`, `criterion_counts`), answers side by side (`matrix.Matrix`, `two_runs.TwoRuns`), and versions
of a blueprint (`changes.changes_between`).
"""
