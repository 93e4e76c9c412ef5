"""What is open and what is known of it, without a widget: the one owner of state."""
