"""The time limit of an attempt holds for all that it does together."""

import errno
import socket
import unittest
import unittest.mock
from typing import Any, List

from decider._deadline import Deadline, TimedSocket
from decider._dial import dial
from tests.stub import Clock


class SlowSocket:
    """Takes its whole timeout for each operation. `works`: whether it ends well."""

    def __init__(self, clock: Clock, works: bool) -> None:
        self.clock, self.works = clock, works
        self.timeout = 0.0
        self.timeouts: List[float] = []
        self.closed = False

    def settimeout(self, timeout: float) -> None:
        self.timeout = timeout

    def connect(self, _: object) -> None:
        self.timeouts.append(self.timeout)
        self.clock.advance(self.timeout)
        if not self.works:
            raise TimeoutError

    def send(self, data: Any) -> int:
        self.clock.advance(0.5)
        return 1

    def setsockopt(self, *_: object) -> None:
        pass

    def close(self) -> None:
        self.closed = True


class Deadlines(unittest.TestCase):
    def test_the_addresses_of_a_name_share_the_time(self) -> None:
        addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{at}", 1)) for at in range(4)]
        for working in (None, 2):
            clock = Clock()
            begun = clock.now()
            sockets = [SlowSocket(clock, at == working) for at in range(4)]
            with unittest.mock.patch.object(socket, "getaddrinfo", lambda *_: addresses):
                with unittest.mock.patch.object(socket, "socket", unittest.mock.Mock(side_effect=sockets)):
                    deadline = Deadline(8, clock.now)
                    if working is None:
                        self.assertRaises(TimeoutError, dial, "many.test", 1, deadline)
                        self.assertEqual([each.timeouts for each in sockets], [[2.0]] * 4)
                        self.assertTrue(all(each.closed for each in sockets))
                    else:
                        self.assertIs(dial("many.test", 1, deadline), sockets[2])
                        self.assertFalse(sockets[2].closed)
            self.assertLessEqual(clock.now() - begun, 8)

    def test_an_address_that_the_machine_has_no_sockets_for(self) -> None:
        addresses = [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 1, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 1)),
        ]
        clock = Clock()
        unsupported = OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
        last = SlowSocket(clock, True)
        with unittest.mock.patch.object(socket, "getaddrinfo", lambda *_: addresses):
            with unittest.mock.patch.object(socket, "socket", unittest.mock.Mock(side_effect=[unsupported, last])):
                self.assertIs(dial("both.test", 1, Deadline(8, clock.now)), last)
            with unittest.mock.patch.object(socket, "socket", unittest.mock.Mock(side_effect=unsupported)):
                self.assertRaises(OSError, dial, "both.test", 1, Deadline(8, clock.now))

    def test_a_name_without_addresses(self) -> None:
        with unittest.mock.patch.object(socket, "getaddrinfo", lambda *_: []):
            self.assertRaises(OSError, dial, "none.test", 1, Deadline(8, Clock().now))

    def test_the_records_of_an_upload_share_the_time(self) -> None:
        clock = Clock()
        begun = clock.now()
        timed = TimedSocket(SlowSocket(clock, True), Deadline(8, clock.now))  # type: ignore[arg-type]
        timed.sendall(b"x" * 15)
        self.assertRaises(TimeoutError, timed.sendall, b"x" * 100)
        self.assertEqual(clock.now() - begun, 8)
