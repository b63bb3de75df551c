"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

_spec_file = "../derivatives.yaml"
