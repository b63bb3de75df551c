"""The checks of `verify`, one kind of mistake a file."""
