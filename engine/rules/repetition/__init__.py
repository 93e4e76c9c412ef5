"""Points and paths that repeat or contradict each other."""
