"""The point functions: a registry, and one small module per family."""
