"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "508155079537"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
