"""What numbers a caller may give."""

from __future__ import annotations

import numbers
from typing import Any

# The longest time limit that a socket takes, 24 days.
SECONDS_MAX = 2_147_483


def require_seconds(option: str, value: Any, zero: bool) -> None:
    """Raises ValueError unless it is a number of seconds up to SECONDS_MAX. `zero`: whether it may be 0."""
    fits = isinstance(value, numbers.Real) and (0 <= value <= SECONDS_MAX) and (zero or value != 0)
    if not fits:
        least = "from 0" if zero else "of more than 0"
        raise ValueError(f"{option}: must be a number of seconds {least} to {SECONDS_MAX}.")


def require_count(option: str, value: Any) -> None:
    """Raises ValueError unless it is a whole number from 0."""
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{option}: must be a whole number from 0.")
