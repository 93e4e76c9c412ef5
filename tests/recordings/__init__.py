"""What the commands print, recorded before a change and compared after it: `python -m tests.recordings`."""
