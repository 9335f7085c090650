#!/usr/bin/env bash
# Asks three questions about one message with curl.
set -euo pipefail

curl --silent --show-error --fail-with-body "${URL:-http://127.0.0.1:8080}/v1/decide" \
  -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{
    "state": {"customer": "gold", "message": "My card was charged twice!"},
    "questions": {
      "angry": {"type": "noul", "instructions": "Is the customer angry?"},
      "team": {"type": "choice", "criteria": {"billing": "Payments and refunds", "technical": "Defects", "sales": null}},
      "urgent": {"type": "score", "criteria": ["can wait", "this week", "now"]}
    }
  }'
