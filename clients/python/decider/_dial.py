"""A connection within a time limit."""

from __future__ import annotations

import socket
from typing import Optional

from ._deadline import Deadline


def dial(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A connection to the first address of a host that takes one.

    `socket.create_connection` takes the whole time for each address; here each has an equal part of what is left. Raises
    OSError, or UnicodeError for a name that no host has.
    """
    addresses = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
    failed: Optional[OSError] = None
    for at, (family, kind, protocol, _, address) in enumerate(addresses):
        sock: Optional[socket.socket] = None
        try:
            # Fails for an IPv6 address on a machine without IPv6.
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(deadline.left() / (len(addresses) - at))
            sock.connect(address)
            # Otherwise the end of a body may wait for the acknowledgement of its head.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            if sock is not None:
                sock.close()
            failed = error
    raise failed or OSError("the name has no address")
