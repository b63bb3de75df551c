"""Checks of arguments whose rows a program computes."""
