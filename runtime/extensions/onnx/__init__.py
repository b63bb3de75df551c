"""`onnx.export`: what a module computes, recorded op by op and written as a graph of ONNX operators."""
