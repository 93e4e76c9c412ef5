"""What stands in an author's file, as rules look at it and write into it: nodes, checks, patterns, paths, criteria."""
