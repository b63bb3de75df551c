"""Scalar functions of random numbers: words by their places, draws made of them, and gradients through draws."""
