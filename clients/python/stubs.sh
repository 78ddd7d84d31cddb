#!/usr/bin/env bash
# Writes steersman/v1 anew from proto/. Needs `pip install grpcio-tools==1.85.1`; PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out="${1:-.}"
"${PYTHON:-python3}" -m grpc_tools.protoc -I ../../proto --python_out="$out" --pyi_out="$out" --grpc_python_out="$out" \
  ../../proto/steersman/v1/*.proto
