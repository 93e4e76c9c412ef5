"""The tool calls written in a response: the parsed trace, the checks on its calls, and the policy.

No tool is ever called, and nothing here affects a score (002, "Tool-Use (Trace-Only) Support"; platform.md, A26).
"""
