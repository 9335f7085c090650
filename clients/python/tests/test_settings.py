"""Settings of the client, and its time limits."""

import socket
import unittest

from decider import Decider, DeciderError, noul
from decider._time_limit import usual_time_limit
from tests.stub import ANSWER, Clock, Stub, batch, response


class Settings(unittest.TestCase):
    def test_wrong_ones_are_refused_and_not_quoted(self) -> None:
        for url in ("nothing", "ftp://a", "http://", "http://user:secret@host", "http://host:port"):
            with self.assertRaises(ValueError) as raised:
                Decider(url, "dk_test")
            self.assertNotIn("secret", str(raised.exception))
        for token in ("", "a b", "a\n", "é"):
            with self.assertRaises(ValueError):
                Decider("http://a", token)

    def test_numbers_that_cannot_be_used(self) -> None:
        for timeout in (0, -1, float("nan"), float("inf"), 2_147_484, "1"):
            with self.assertRaisesRegex(ValueError, "^timeout: must be a number of seconds of more than 0 to 2147483"):
                Decider(timeout=timeout)  # type: ignore[arg-type]
        for retries in (-1, 0.5, float("nan"), float("inf"), None):
            with self.assertRaisesRegex(ValueError, "^retries: must be a whole number from 0"):
                Decider(retries=retries)  # type: ignore[arg-type]
        with Stub(batch(True)) as stub:
            decider = Decider(stub.url, timeout=2_147_483, retries=0)
            for seconds in (-1, float("nan"), float("inf"), 2_147_484, "1"):
                with self.assertRaisesRegex(ValueError, "^poll_seconds: "):
                    decider.batches.wait("b", poll_seconds=seconds)  # type: ignore[arg-type]
                with self.assertRaisesRegex(ValueError, "^timeout: "):
                    decider.batches.wait("b", timeout=seconds)  # type: ignore[arg-type]
            self.assertEqual(len(stub.requests), 0)
            decider.batches.wait("b", poll_seconds=0, timeout=2_147_483)

    def test_the_usual_time_limit_follows_from_the_prompts(self) -> None:
        for prompts, seconds in ((0, 150), (1, 150), (16, 150), (17, 210), (400, 1_590), (10**12, 2_147_483)):
            self.assertEqual(usual_time_limit(prompts), seconds)
        clock = Clock()

        def slow(connection: socket.socket) -> None:
            clock.advance(209)
            connection.sendall(response(ANSWER)[:-1])

        for count, rotations, type in ((8, 2, "timeout"), (9, 2, "connection_lost")):
            with Stub(slow) as stub:
                with self.assertRaises(DeciderError) as raised:
                    questions = {str(at): noul("Is it?") for at in range(count)}
                    clock.client(stub.url).decide("x", questions, option_rotations=rotations)
                self.assertEqual(raised.exception.type, type)


if __name__ == "__main__":
    unittest.main()
