"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "04216aaf128c"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
