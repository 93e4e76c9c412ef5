"""What actions do on the screen of a blueprint: functions that the rows of the table name, one module a subject.

A coroutine function is for what takes a while, or asks: `BlueprintScreen.do` runs it, and what is typed next waits.
"""
