"""The screens: the start screen, and the one on which a blueprint is written."""
