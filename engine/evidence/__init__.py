"""What a verdict rests on: matches, groups and list entries of checks, nearest misses, and what judges quote."""
