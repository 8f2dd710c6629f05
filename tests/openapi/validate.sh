#!/usr/bin/env bash
# Validates the documents against OpenAPI 3.1, and compares the public document of the service with the one
# that the program prints.
source "$(dirname "$0")/service.sh"

tools 'openapi-spec-validator==0.9.0'
start_service
curl -fsS "$ORIGIN/openapi.json" >"$WORK/served.json"
"$RECEPTIONIST" openapi >"$WORK/printed.json"
python3 - "$WORK/served.json" "$WORK/printed.json" <<'PYTHON'
import json, sys
served, printed = (json.load(open(path)) for path in sys.argv[1:])
assert served == printed, "the served document differs from the printed one"
print(len(served["paths"]), "paths,", len(served["components"]["schemas"]), "schemas")
PYTHON
"$RECEPTIONIST" openapi --operator >"$WORK/operator.json"
openapi-spec-validator --schema 3.1 "$WORK/served.json" "$WORK/operator.json"
