"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "9d2e9e2c6ae2"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
