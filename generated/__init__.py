"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "9f0d4e215f9f"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
