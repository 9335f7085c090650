"""Images of a request: inline or as parts of a form."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Mapping
from typing import Any, BinaryIO, Dict, Tuple, Union

from ._errors import DeciderError

#: The path of an image file, an open one, or its bytes. PNG or JPEG.
ImageSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO]
#: Images by the references that name them in the state and the questions.
Images = Mapping[str, ImageSource]

# Images of a request that together have at most this many bytes are sent inline; larger ones as parts of a form.
INLINE_IMAGE_BYTES_MAX = 64 * 1024


def body_of_decide(request: Dict[str, Any], images: Images) -> Tuple[bytes, Dict[str, str]]:
    """The body of a decide request and its headers: JSON, or a form if its images are large."""
    files = {reference: _read(source) for reference, source in images.items()}
    if sum(len(file) for file in files.values()) > INLINE_IMAGE_BYTES_MAX:
        return _form(request, files)
    if files:
        request = {**request, "assets": _inline(files)}
    return encode(request), {"Content-Type": "application/json"}


def encode_line(line: Mapping[str, Any]) -> bytes:
    """A line of JSON Lines with its line feed. It has no file parts: its images are inline.

    Raises TypeError for what has no fields, such as a string.
    """
    if not isinstance(line, Mapping):
        raise TypeError("Each line, and each label, must be a mapping with fields.")
    images = line.get("images")
    sent = {name: value for name, value in line.items() if name != "images"}
    if images is not None:
        sent["assets"] = _inline({reference: _read(source) for reference, source in images.items()})
    return encode(sent) + b"\n"


def encode(value: Any) -> bytes:
    """JSON. Numbers that JSON does not have are a ValueError."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _inline(files: Mapping[str, bytes]) -> Dict[str, Any]:
    return {
        reference: {"format": _format_of(reference, file), "data_base64": base64.b64encode(file).decode("ascii")}
        for reference, file in files.items()
    }


def _form(request: Dict[str, Any], files: Mapping[str, bytes]) -> Tuple[bytes, Dict[str, str]]:
    assets = {
        reference: {"format": _format_of(reference, file), "part": f"image-{at}"}
        for at, (reference, file) in enumerate(files.items())
    }
    boundary = secrets.token_hex(16)
    parts = [("request", "", encode({**request, "assets": assets}))]
    parts += [(f"image-{at}", '; filename="image"', file) for at, file in enumerate(files.values())]
    body = bytearray()
    for name, more, content in parts:
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode("ascii")
        body += content + b"\r\n"
    body += f"--{boundary}--\r\n".encode("ascii")
    return bytes(body), {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def _read(source: ImageSource) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return file.read()
    return source.read()


def _format_of(reference: str, file: bytes) -> str:
    if file.startswith(b"\x89PNG"):
        return "png"
    if file.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    raise DeciderError("unsupported_image_format", f'Image "{reference}" is neither PNG nor JPEG.')
