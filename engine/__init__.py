"""The engine of Blueprint Studio: everything but the terminal.

Data flows one way: text → nodes → blueprint → diagnostics; prompt → conversation → assessments → score → explanation.
No module here imports `studio` or Textual.
"""
