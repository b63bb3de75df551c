"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""
