"""Blueprint Studio's terminal application and command line, on top of `engine`."""
