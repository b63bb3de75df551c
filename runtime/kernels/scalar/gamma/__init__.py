"""The gamma function: its logarithm, the derivatives of that, Hurwitz' zeta function, and incomplete ones."""
