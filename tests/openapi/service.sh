# The scripts in this directory source this file. It starts a service on its own directory with a sample
# business, and stops the service at the end.
#
# Sets BASE (ends in /v1), ORIGIN, KEY (has every scope) and WORK (a directory that is deleted at the end).
# RECEPTIONIST names the binary. By default it is target/release/receptionist, which is built first.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d)
SERVICE_PID=

stop_service() {
    if [ -n "$SERVICE_PID" ]; then
        kill -TERM "$SERVICE_PID" 2>/dev/null || true
        wait "$SERVICE_PID" 2>/dev/null || true
    fi
    rm -rf "$WORK"
}
trap stop_service EXIT

if [ -z "${RECEPTIONIST:-}" ]; then
    (cd "$ROOT" && cargo build --release --locked)
    RECEPTIONIST=$ROOT/target/release/receptionist
fi

# Installs tools in an environment that is deleted at the end.
tools() {
    python3 -m venv "$WORK/venv"
    "$WORK/venv/bin/pip" install --quiet --disable-pip-version-check "$@"
    PATH=$WORK/venv/bin:$PATH
}

# Starts the service and creates a business with services, staff members and an API key.
start_service() {
    PUBLIC_API_RATE_LIMIT_PER_MINUTE=${RATE_LIMIT:-1000000} RECEPTIONIST_LOG=warn "$RECEPTIONIST" demo \
        --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --data-dir "$WORK/data" \
        >"$WORK/service.out" 2>"$WORK/service.log" &
    SERVICE_PID=$!
    for _ in $(seq 100); do
        if grep -q '^Stop with' "$WORK/service.out"; then break; fi
        if ! kill -0 "$SERVICE_PID" 2>/dev/null; then cat "$WORK/service.log" >&2; exit 1; fi
        sleep 0.1
    done
    BASE=$(sed -n 's/^listening on //p' "$WORK/service.out")
    ORIGIN=${BASE%/v1}
    KEY=$(grep -oE 'rcpt_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}' "$WORK/service.out" | head -1)
    [ -n "$BASE" ] && [ -n "$KEY" ]
}
