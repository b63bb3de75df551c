"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "8488bec8d376"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
