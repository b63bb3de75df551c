"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "6a6ffcc0e2fd"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
