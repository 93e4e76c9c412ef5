"""Families of phrases, a TOML file each, and the matcher that finds them in texts."""
