"""The rules themselves: every module here has a tuple `RULES`, and pages for them in its docstring."""
