"""The wording of criteria."""
