"""Writes and views: counts of writes, and how base and views stay consistent in the graph."""
