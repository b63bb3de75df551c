"""Numerical checks of gradients: gradcheck and gradgradcheck."""
