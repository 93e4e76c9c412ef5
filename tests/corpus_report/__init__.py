"""What the rules find in the published blueprints, and what it does to scores: the page `docs/corpus-report.md`."""
