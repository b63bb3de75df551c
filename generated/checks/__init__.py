"""Checks of arguments that a program computes with."""
