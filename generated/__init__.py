"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "34f80c03d993"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
