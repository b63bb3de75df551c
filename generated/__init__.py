"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "3f821e145f07"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
