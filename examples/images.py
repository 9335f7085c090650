"""Asks a question about an image file, sent in two ways. Python 3, standard library only.

Usage: python3 images.py FILE (a PNG or JPEG with sides from 280 to 1,568 pixels)
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("URL", "http://127.0.0.1:8080")
TOKEN = os.environ["TOKEN"]


def post(body, content_type):
    call = urllib.request.Request(
        URL + "/v1/decide",
        data=body,
        headers={"Authorization": "Bearer " + TOKEN, "Content-Type": content_type},
    )
    try:
        with urllib.request.urlopen(call) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        refusal = json.load(error)
        sys.exit(f"{error.code} {refusal['type']}: {refusal['error']}")


def request(asset):
    """The image is displayed where its reference, `photo`, occurs in the state."""
    return json.dumps(
        {
            "state": "A photo of the parcel: photo",
            "questions": {"damaged": {"type": "noul", "instructions": "Is the parcel damaged?"}},
            "assets": {"photo": asset},
            "image_budget": 140,
        }
    ).encode()


path = sys.argv[1]
with open(path, "rb") as file:
    image = file.read()
image_format = "png" if image.startswith(b"\x89PNG") else "jpeg"

# Inline, as base64.
inline = post(
    request({"format": image_format, "data_base64": base64.b64encode(image).decode()}),
    "application/json",
)

# As a file part of a multipart body. The first part is named `request`.
boundary = uuid.uuid4().hex
parts = [("request", request({"format": image_format, "part": "file-1"})), ("file-1", image)]
body = b"".join(
    f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + content + b"\r\n"
    for name, content in parts
) + f"--{boundary}--\r\n".encode()
multipart = post(body, "multipart/form-data; boundary=" + boundary)

for name, response in (("inline", inline), ("multipart", multipart)):
    print(f"{name}: damaged {response['answers']['damaged']['noul']}, {response['usage']['input_tokens']} tokens")
