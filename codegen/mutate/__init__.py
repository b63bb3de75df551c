"""Mistakes made on purpose: what of them nobody finds."""
