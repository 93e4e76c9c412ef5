"""What tests of the closest sentence need: an encoder without weights, and where the real one is installed."""
