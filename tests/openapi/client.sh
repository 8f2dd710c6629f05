#!/usr/bin/env bash
# Generates a Python client from the document and books, moves and cancels an appointment with it.
source "$(dirname "$0")/service.sh"

tools 'openapi-python-client==0.29.1' ruff
start_service
curl -fsS "$ORIGIN/openapi.json" >"$WORK/openapi.json"
openapi-python-client generate --path "$WORK/openapi.json" --output-path "$WORK/client" --meta none --fail-on-warning
mv "$WORK/client" "$WORK/receptionist_client"
pip install --quiet --disable-pip-version-check httpx attrs python-dateutil
PYTHONPATH=$WORK BASE=$BASE KEY=$KEY python3 "$ROOT/tests/openapi/book.py"
