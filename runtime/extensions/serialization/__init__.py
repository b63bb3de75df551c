"""Saving and loading: archives, trees of objects, files that are whole or not there."""
