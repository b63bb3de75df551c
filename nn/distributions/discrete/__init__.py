"""Distributions over whole numbers, classes and counts, a file for each family."""
