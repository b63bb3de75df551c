#!/bin/sh
# On a machine with a GPU: unpack what lies beside this file, and run all stages. Results go to $OUT, or to the folder itself.
set -e
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
tar -xzf "$here/specgrad.tar.gz" -C "$work"
"$python" -m pip install -q --no-index --no-deps --no-compile --target "$work/site" "$here"/wheels/*.whl
cd "$work"
PYTHONPATH="$work:$work/site" OUT="${OUT:-$here}" exec "$python" -m benchmarks.gpu "$@"
