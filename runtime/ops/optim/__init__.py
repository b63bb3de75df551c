"""Optimizers' update rules, each in one pass over a parameter."""
