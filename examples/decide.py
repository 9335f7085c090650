"""Asks two questions about one message. Python 3, standard library only."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("URL", "http://127.0.0.1:8080")
TOKEN = os.environ["TOKEN"]
ATTEMPTS = 3


def decide(request):
    """Returns the response to a decide request. Retries after 429 and 503, as `Retry-After` says."""
    call = urllib.request.Request(
        URL + "/v1/decide",
        data=json.dumps(request).encode(),
        headers={"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"},
    )
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(call) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or attempt == ATTEMPTS:
                raise
            time.sleep(int(error.headers.get("Retry-After", "1")))


try:
    response = decide(
        {
            "state": "My card was charged twice!",
            "questions": {
                "angry": {"type": "noul", "instructions": "Is the customer angry?"},
                "team": {"type": "choice", "criteria": ["billing", "technical", "sales"]},
            },
        }
    )
except urllib.error.HTTPError as error:
    refusal = json.load(error)
    sys.exit(f"{error.code} {refusal['type']}: {refusal['error']}")

team = response["answers"]["team"]
print(f"model:  {response['model']}")
print(f"angry:  {response['answers']['angry']['noul']}")
print(f"team:   {team['choice']} (confidence {team['confidence']})")
print(f"tokens: {response['usage']['input_tokens']}")
