"""JSON that others sent."""

from __future__ import annotations

import json
from typing import Any, Union


def parse_json(text: Union[str, bytes, bytearray]) -> Any:
    """A value. Raises ValueError if the text is not JSON, or is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
