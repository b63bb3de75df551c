"""Tables of Bessel functions and their like: see `scalar/bessel/`."""
