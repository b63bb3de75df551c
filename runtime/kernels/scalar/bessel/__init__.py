"""Bessel functions of order 0 and 1, modified ones, the Airy function, and sines over their arguments."""
