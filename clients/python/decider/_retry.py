"""When a call may be sent again (docs/errors.md)."""

from __future__ import annotations

from typing import Optional

from ._errors import DeciderError

# A server that asks to wait longer than this is not asked again.
RETRY_AFTER_SECONDS_MAX = 60.0
# The wait without `Retry-After`.
_USUAL_WAIT_SECONDS = 1.0
# The first wait after a fault of the server or of the connection; it doubles each time.
_FIRST_WAIT_SECONDS = 0.5
_WAIT_SECONDS_MAX = 8.0
# Waits are longer by up to this part, so that clients do not come back together.
_SPREAD = 0.25


def wait_before_retry(error: DeciderError, repeatable: bool, attempts: int, random: float) -> Optional[float]:
    """The seconds to wait before a failed call is sent again; None: it is not.

    `repeatable`: whether sending it twice does no more than sending it once. A decision is charged each time: it is sent
    again only if nothing was sent, or the server has answered with an error, which is never charged.
    `attempts`: how often it has been sent. `random`: from 0 to less than 1.
    """
    if not error.is_temporary or (error.outcome_unknown and not repeatable):
        return None
    after = error.retry_after_seconds
    if after is not None and after > RETRY_AFTER_SECONDS_MAX:
        return None
    if after is not None:
        wait = after
    elif error.status in (408, 429, 503):
        wait = _USUAL_WAIT_SECONDS
    else:
        wait = min(_FIRST_WAIT_SECONDS * 2 ** (attempts - 1), _WAIT_SECONDS_MAX)
    return wait * (1 + _SPREAD * random)
