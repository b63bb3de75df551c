"""Recipes of structured kernels, under the kernels' names: see runtime/recipe.py."""
