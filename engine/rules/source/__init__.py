"""The parts of a file that rules examine and edit: nodes, checks, patterns, paths, criteria."""
