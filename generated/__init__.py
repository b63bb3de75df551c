"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "f1b0a7a0b2c4"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
