"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "2d9870f3f5a3"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
