"""The state of an open file, without widgets: commands, views and one stream of changes."""
