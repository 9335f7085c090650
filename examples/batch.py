"""Submits a JSON Lines file as a batch, waits, and prints the results. Python 3, standard library only.

Usage: python3 batch.py FILE
"""

import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("URL", "http://127.0.0.1:8080")
TOKEN = os.environ["TOKEN"]
POLL_SECONDS = 2


def call(path, data=None, headers={}):
    """Opens a path of the batch interface. POST with `data`, GET without."""
    request = urllib.request.Request(
        URL + "/v1/batches" + path,
        data=data,
        headers={"Authorization": "Bearer " + TOKEN, **headers},
    )
    try:
        return urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        refusal = json.load(error)
        for line in refusal.get("errors", []):
            print(f"line {line['line']}: {line['type']}: {line['error']}", file=sys.stderr)
        sys.exit(f"{error.code} {refusal['type']}: {refusal['error']}")


with open(sys.argv[1], "rb") as file:
    lines = file.read()

# With an Idempotency-Key, running this again within 24 hours finds the first batch instead of paying twice.
submitted = {
    "Content-Type": "application/jsonl",
    "Idempotency-Key": hashlib.sha256(lines).hexdigest(),
}
with call("", lines, submitted) as response:
    batch = json.load(response)
print(f"{batch['id']}: {batch['lines']} lines", file=sys.stderr)

while not batch.get("results_available"):
    time.sleep(POLL_SECONDS)
    with call("/" + batch["id"]) as response:
        batch = json.load(response)

with call(f"/{batch['id']}/results") as response:
    for raw in response:
        result = json.loads(raw)
        if result["status"] == 200:
            print(result["custom_id"], json.dumps(result["response"]["answers"]))
        else:
            print(result["custom_id"], result["error"]["type"])
