"""What the problems of the published blueprints do to scores."""
