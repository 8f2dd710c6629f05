#!/usr/bin/env bash
# Sends the service what schemathesis makes out of its document, right and wrong, and fails on a 5xx or on any status,
# header, media type or body that the document does not promise. Arguments go to schemathesis: --max-examples 200
source "$(dirname "$0")/service.sh"

tools 'schemathesis==4.32.5'
start_service
# U+0000 is refused in every text, which a schema cannot say well.
schemathesis run "$ORIGIN/openapi.json" --url "$BASE" --header "Authorization: Bearer $KEY" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth,missing_required_header \
    --generation-allow-x00 false --max-examples 50 --suppress-health-check all --report junit \
    --report-dir "$WORK/report" "$@"
if grep -E '"level":"ERROR"| ERROR ' "$WORK/service.log"; then
    echo 'the service logged an error' >&2
    exit 1
fi
