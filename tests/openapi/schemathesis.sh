#!/usr/bin/env bash
# Sends the service valid and invalid requests that schemathesis generates from the document. Fails if a
# response has a 5xx status, or an undocumented status, header, media type or body. Arguments are passed to
# schemathesis, for example: --max-examples 200
source "$(dirname "$0")/service.sh"

tools 'schemathesis==4.32.5'
start_service
# The service refuses U+0000 in every text. The schemas do not say so, so schemathesis must not generate it.
cd "$WORK" # schemathesis stores its findings in the current directory
schemathesis run "$ORIGIN/openapi.json" --url "$BASE" --header "Authorization: Bearer $KEY" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth,missing_required_header \
    --generation-allow-x00 false --max-examples 50 --suppress-health-check all --report junit \
    --report-dir "$WORK/report" "$@"
if grep -E '"level":"ERROR"| ERROR ' "$WORK/service.log"; then
    echo 'the service logged an error' >&2
    exit 1
fi
