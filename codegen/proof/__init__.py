"""Proof of gradient formulas of element-wise entries: derived symbolically, compared as generalised polynomials."""
