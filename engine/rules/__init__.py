"""The pitfalls: one module per rule or tight family, found by themselves."""
