#!/bin/sh
# On a machine with a GPU: unpack what lies beside this file, and run all stages. Results go to $OUT, or to the folder itself.
set -e
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
tar -xzf "$here/specgrad.tar.gz" -C "$work"
"$python" -m pip install -q --no-index --no-deps --no-compile --target "$work/site" "$here"/wheels/*.whl
# numba-cuda 0.30 names a function that NumPy 2.5 no longer has.
printf 'import numpy\n\nif not hasattr(numpy, "row_stack"):\n    numpy.row_stack = numpy.vstack\n' > "$work/site/sitecustomize.py"
cd "$work"
PYTHONPATH="$work:$work/site" OUT="${OUT:-$here}" exec "$python" -m benchmarks.gpu "$@"
