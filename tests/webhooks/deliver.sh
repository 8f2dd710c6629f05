#!/usr/bin/env bash
# Delivers events from the built binary over real TLS to receivers in two languages. The receivers verify the
# events with the official libraries.
#
# The script runs in its own network namespace. Its loopback device has public addresses, so the rules on
# webhook addresses apply unchanged. It needs root, ip, openssl, curl, jq, python3, and node with the
# `standardwebhooks` packages. PYTHON names the interpreter that has the package, and NODE_PATH the folder of
# the package for node. Usage: tests/webhooks/deliver.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")"
binary=$(realpath "${1:-../../target/release/receptionist}")
python=${PYTHON:-python3}

ns="receptionist-$$"
if ! ip netns add "$ns" 2>/dev/null; then
  echo "skipped: network namespaces are not permitted here"
  exit 0
fi
work=$(mktemp -d)
finish() {
  ip netns pids "$ns" | xargs -r kill 2>/dev/null || true
  sleep 0.5
  ip netns del "$ns"
  rm -rf "$work" "/etc/netns/$ns"
}
trap finish EXIT
inside() { ip netns exec "$ns" "$@"; }

mkdir -p "/etc/netns/$ns"
printf '127.0.0.1 localhost\n93.184.216.34 py.hooks.example.com\n93.184.216.35 js.hooks.example.com\n' >"/etc/netns/$ns/hosts"
inside ip link set lo up
inside ip addr add 93.184.216.34/32 dev lo
inside ip addr add 93.184.216.35/32 dev lo
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ca.key" -out "$work/ca.pem" -days 2 -subj "/CN=test authority" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/csr.pem" -subj "/CN=hooks" 2>/dev/null
printf 'subjectAltName=DNS:py.hooks.example.com,DNS:js.hooks.example.com' >"$work/names"
openssl x509 -req -in "$work/csr.pem" -CA "$work/ca.pem" -CAkey "$work/ca.key" -days 2 -extfile "$work/names" -out "$work/cert.pem" 2>/dev/null

SSL_CERT_FILE="$work/ca.pem" RECEPTIONIST_LOG=warn inside "$binary" demo --data-dir "$work/data" >"$work/demo" 2>"$work/log" &
inside "$python" receiver.py 443 "$work/cert.pem" "$work/key.pem" "$work/py" >"$work/py.out" 2>&1 &
inside node receiver.js 8443 "$work/cert.pem" "$work/key.pem" "$work/js" >"$work/js.out" 2>&1 &
until inside curl -sf -o /dev/null http://127.0.0.1:8080/healthz && grep -q 'cancel it' "$work/demo"; do sleep 0.1; done
until inside curl -s -o /dev/null --cacert "$work/ca.pem" https://js.hooks.example.com:8443/; do sleep 0.1; done

key=$(grep -o 'rcpt_[A-Za-z0-9_]*' "$work/demo" | head -n 1)
call() { inside curl -s -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "$@"; }
subscribe() {
  call http://127.0.0.1:8080/v1/webhooks -d "{\"url\":\"$1\",\"events\":[\"contact.created\",\"appointment.booked\"]}" |
    jq -er .data.secret
}
subscribe https://py.hooks.example.com/hook >"$work/py"
subscribe https://js.hooks.example.com:8443/hook >"$work/js"
for n in 1 2 3; do
  call http://127.0.0.1:8080/v1/contacts -d "{\"name\":\"Zoé $n 🧑‍🎤\"}" >/dev/null
done
for out in py.out js.out; do
  for _ in $(seq 100); do [ "$(grep -c '^verified contact.created' "$work/$out")" -ge 3 ] && break; sleep 0.1; done
  echo "$out: $(grep -c '^verified' "$work/$out") verified, $(grep -c '^refused' "$work/$out" || true) refused"
  [ "$(grep -c '^verified contact.created' "$work/$out")" = 3 ]
done
