"""What panes are given: frozen values, made by pure functions from the state of a session."""
