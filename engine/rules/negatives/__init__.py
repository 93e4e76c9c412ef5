"""Points that say what an answer must not do."""
