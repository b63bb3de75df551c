"""Reductions: sums, products, means, variances, norms, extrema and their indices."""
