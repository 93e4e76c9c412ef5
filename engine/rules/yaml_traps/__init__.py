"""Text that YAML does not read as it looks."""
