#!/bin/sh
# The full life of a ticket with curl, as a transcript. Ends with 1 at the first answer that is not as expected.
# Usage: ticket_life.sh BASE_URL
set -eu
url=$1
body=''

fail() {
  echo "$*" >&2
  exit 1
}

# Shows a command, runs it, shows the body and the status that it answers with, and checks the status.
# call STATUS METHOD PATH [BODY]
call() {
  expected=$1 method=$2 path=$3
  shift 3
  shown="'$url$path'"
  [ "$method" = GET ] || shown="-X $method $shown"
  if [ $# -gt 0 ]; then
    shown="$shown -H 'Content-Type: application/json' -d '$1'"
    set -- -H 'Content-Type: application/json' -d "$1"
  fi
  printf "%s\n" "\$ curl -w '\n%{http_code}\n' $shown"
  answer=$(curl -sS --max-time 20 -w '%{http_code}' -X "$method" "$@" "$url$path")
  status=${answer#"${answer%???}"}
  body=${answer%???}
  printf '%s\n%s\n\n' "$body" "$status"
  [ "$status" = "$expected" ] || fail "answered $status; expected: $expected"
}

# The answer must contain a text.
has() {
  case "$body" in
    *"$1"*) ;;
    *) fail "the answer lacks $1" ;;
  esac
}

# The resource URI in the answer, of a resource that nests no other.
uri() {
  printf '%s\n' "$body" | sed 's/.*"resource_uri":"\([^"]*\)".*/\1/'
}

# A developer submits a source package.
call 201 POST /api/v1/sourcepackage/ '{"name": "hello"}'
package=$(uri)
call 201 POST /api/v1/spu/ "{\"sourcepackage\": \"$package\", \"version\": \"2.10-3\"}"
upload=$(uri)
call 201 POST /api/v1/ticket/ \
  '{"owner": "ann@example.com", "title": "Say hello to Debian", "description": "A new version", "bug_id": "1234567"}'
has '"current_workflow_step":"100"'
ticket=$(uri)
id=${ticket#/api/v1/ticket/}
call 201 POST /api/v1/subticket/ \
  "{\"source_package_upload\": \"$upload\", \"ticket\": \"$ticket\", \"assignee\": \"ben@example.com\"}"
subticket=$(uri)
call 201 POST /api/v1/subticketartifact/ \
  "{\"name\": \"hello_2.10-3_source.changes\", \"type\": \"SPU\", \"subticket\": \"$subticket\", \"reference\": \"https://store.example/hello_2.10-3_source.changes\"}"
call 201 POST /api/v1/ticketartifact/ \
  "{\"name\": \"results\", \"type\": \"RESULTS\", \"ticket\": \"$ticket\", \"reference\": \"https://store.example/results.html\"}"
artifact=$(uri)

# What cannot be done is refused.
call 400 POST /api/v1/ticket/ '{"title": "Nobody has it"}'
has '{"ticket":{"owner":['
call 400 POST /api/v1/ticket/ '{"owner": '
call 404 GET /api/v1/ticket/999999/

# The lander moves it.
call 202 PATCH "/api/v1/updatesubticketstatus/${subticket#/api/v1/subticket/}" \
  '{"current_workflow_step": "200", "status": "200"}'
call 202 PATCH "/api/v1/updateticketstatus/$id" '{"current_workflow_step": "200", "status": "200"}'
has '"status":"200"'

# Everybody reads it.
call 200 GET "$ticket"
call 200 GET "/api/v1/fullticket/$id"
has '"name":"hello"'
call 200 GET '/api/v1/ticket/?owner__startswith=ann&order_by=-id&limit=2'
has '"total_count":1'
call 200 GET '/api/v1/ticketstatus/?current_workflow_step=200'
has "/api/v1/ticketstatus/$id"

# It is corrected, and what is not needed any more is removed.
call 200 PUT "$artifact" \
  "{\"name\": \"final results\", \"type\": \"RESULTS\", \"ticket\": \"$ticket\", \"reference\": \"https://store.example/final.html\"}"
has '"name":"final results"'
call 202 PATCH "$ticket" '{"title": "Hello, Debian"}'
has '"title":"Hello, Debian"'
call 409 DELETE "$ticket"
call 204 DELETE "$artifact"
call 404 DELETE "$artifact"

# The lander completes it. Its history has every step.
call 202 PATCH "/api/v1/updateticketstatus/$id" '{"current_workflow_step": "1000", "status": "1000"}'
call 200 GET /api/v1/opentickets/
has '"total_count":0'
call 200 GET "${ticket}history/"
has '"to_step":"1000"'
