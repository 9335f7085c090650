"""How long a server may take."""

from __future__ import annotations

import math

from ._settings import SECONDS_MAX

# For a request to arrive, and for its response.
_TRANSFER_SECONDS = 90.0
# Of the server's engine (`engine.deadline_ms` by default), which has it once for every so many prompts of a request.
_ENGINE_SECONDS = 60.0
_PROMPTS_AT_ONCE = 16


def usual_time_limit(prompts: int) -> float:
    """The seconds in which a server answers or refuses a call, unless it is configured to take longer.

    `prompts`: those of the call at most: questions, once for each order of their options.
    """
    limits = max(1, math.ceil(prompts / _PROMPTS_AT_ONCE))
    return min(_TRANSFER_SECONDS + _ENGINE_SECONDS * limits, float(SECONDS_MAX))
