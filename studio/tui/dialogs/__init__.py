"""Dialogs: each is given data, and returns a choice, or None when it is cancelled."""
