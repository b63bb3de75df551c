"""Rows of tables by number, and bags of them."""
