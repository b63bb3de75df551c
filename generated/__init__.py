"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "52c3db1cbb38"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
