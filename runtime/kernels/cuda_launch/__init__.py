"""Launches: of element-wise ops, rows, movers, scans, sorts and texts; what they launch, written down."""
