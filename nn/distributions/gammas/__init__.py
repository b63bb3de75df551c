"""Gamma distributions and those of what is made of gamma numbers, a file for each family."""
