"""Waits for batches, their results and their files."""

import json
import socket
import threading
import unittest

from decider import Decider, DeciderError
from decider._batches import file_of_batch
from tests.stub import BATCH, BUSY, Clock, Stub, batch, chunked, client, error, response


class Waits(unittest.TestCase):
    def test_the_patience_with_a_server_begins_at_its_first_failure(self) -> None:
        with Stub(batch(False), BUSY, BUSY, batch(False), BUSY, BUSY, batch(True)) as stub:
            found = Clock().client(stub.url).batches.wait("b", poll_seconds=900)
            self.assertTrue(found["results_available"])

    def test_a_server_that_is_away_for_more_than_ten_minutes(self) -> None:
        for seconds, ends in ((600.0, False), (600.5, True)):
            clock = Clock()

            def second(connection: socket.socket) -> None:
                # The wait of 2 seconds before is a part of it.
                clock.advance(seconds - 2)
                connection.sendall(BUSY)

            with Stub(batch(False), BUSY, second, batch(True)) as stub:
                batches = clock.client(stub.url, timeout=1_000).batches
                if not ends:
                    self.assertTrue(batches.wait("b")["results_available"])
                    continue
                with self.assertRaises(DeciderError) as raised:
                    batches.wait("b")
                self.assertEqual(raised.exception.type, "overloaded")

    def test_a_long_wait_that_the_server_asks_for_is_not_its_absence(self) -> None:
        closed = error("overloaded", "503 Service Unavailable", "Retry-After: 3600\r\n")
        with Stub(closed, closed, BUSY, batch(True)) as stub:
            self.assertTrue(Clock().client(stub.url).batches.wait("b")["results_available"])

    def test_a_last_look_when_the_time_is_over(self) -> None:
        for answer in (batch(False), BUSY):
            clock = Clock()
            with Stub(batch(False), answer) as stub:
                with self.assertRaises(DeciderError) as raised:
                    clock.client(stub.url).batches.wait("b", poll_seconds=60, timeout=61)
                self.assertEqual(raised.exception.type, "timeout")
                self.assertEqual((len(stub.requests), clock.seconds), (3, 61))
        with Stub(batch(False), batch(False), batch(True)) as stub:
            found = Clock().client(stub.url).batches.wait("b", poll_seconds=60, timeout=61)
            self.assertTrue(found["results_available"])
        with Stub(batch(True)) as stub:
            self.assertTrue(Clock().client(stub.url).batches.wait("b", timeout=0)["results_available"])

    def test_a_look_ends_with_the_time_of_the_wait(self) -> None:
        clock = Clock()

        def slow(connection: socket.socket) -> None:
            clock.advance(21)
            connection.sendall(batch(True)[:-1])

        with Stub(slow) as stub:
            with self.assertRaises(DeciderError) as raised:
                clock.client(stub.url, timeout=1_000).batches.wait("b", timeout=20)
            self.assertEqual((raised.exception.type, len(stub.requests)), ("timeout", 2))


class Results(unittest.TestCase):
    LINES = [b'{"custom_id":"%d","text":"\xc3\xa9"}' % at for at in range(4)]

    def collected(self, *answers: bytes, batch: object = "b") -> list:
        with Stub(*answers) as stub:
            return list(client(stub.url).batches.results(batch))  # type: ignore[arg-type]

    def test_cut_at_every_byte_each_line_comes_once(self) -> None:
        text = b"".join(line + b"\n" for line in self.LINES)
        wanted = [json.loads(line) for line in self.LINES]
        for whole in (chunked(text[:30], text[30:]), response(text)):
            for at in range(len(whole) - len(b"0\r\n\r\n") + 1):
                self.assertEqual(self.collected(whole[:at], whole), wanted, at)

    def test_a_cut_that_looks_like_the_end_is_noticed_with_the_batch(self) -> None:
        head = b"HTTP/1.1 200 OK\r\n\r\n"
        text = b"".join(line + b"\n" for line in self.LINES)
        short = head + self.LINES[0] + b"\n"
        self.assertEqual(len(self.collected(short, head + text, batch={"id": "b", "lines": 4})), 4)
        self.assertEqual(len(self.collected(short + b'{"cust', head + text)), 4)

    def test_a_server_that_never_gets_further_is_given_up(self) -> None:
        with self.assertRaises(DeciderError) as raised:
            self.collected(chunked(self.LINES[0] + b"\n", end=False))
        self.assertEqual(raised.exception.type, "connection_lost")

    def test_many_cuts_with_progress_are_survived(self) -> None:
        answers = [chunked(*[line + b"\n" for line in self.LINES[:count]], end=False) for count in range(1, 5)]
        self.assertEqual(len(self.collected(*answers, chunked(*[line + b"\n" for line in self.LINES]))), 4)

    def test_other_results_after_a_cut_are_refused(self) -> None:
        with self.assertRaises(DeciderError) as raised:
            self.collected(chunked(b'{"custom_id":"1"}\n', end=False), chunked(b'{"custom_id":"2"}\n'))
        self.assertEqual(raised.exception.type, "invalid_response")

    def test_leaving_the_loop_closes_the_connection(self) -> None:
        ended = threading.Event()

        def endless(connection: socket.socket) -> None:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while True:
                    connection.sendall(self.LINES[0] + b"\n")
            except OSError:
                ended.set()

        with Stub(endless) as stub:
            results = client(stub.url).batches.results("b")
            next(results)
            results.close()
            # Long: it only delays a failure, and a busy machine may need it.
            self.assertTrue(ended.wait(100))


class Files(unittest.TestCase):
    def test_a_file_of_a_batch(self) -> None:
        file = b'{"custom_id":"a"}\n'
        for given in (file, file.decode(), bytearray(file), memoryview(file)):
            with Stub(response(BATCH)) as stub:
                client(stub.url).batches.submit(given)
                self.assertTrue(stub.requests[0].endswith(b"\r\n\r\n" + file))
        most = 32 * 1024 * 1024
        self.assertEqual(len(file_of_batch(bytes(most))), most)
        for large in (bytes(most + 1), bytearray(most + 1), "é" * (most // 2 + 1)):
            with self.assertRaises(DeciderError) as raised:
                file_of_batch(large)
            self.assertEqual(raised.exception.type, "body_too_large")

    def test_limits_of_a_batch(self) -> None:
        batches = Decider("http://127.0.0.1:1", "dk_test").batches
        endless = ({"custom_id": str(at)} for at in iter(int, 1))
        with self.assertRaises(DeciderError) as raised:
            batches.submit(endless)
        self.assertEqual(raised.exception.type, "too_many_lines")
        with self.assertRaises(DeciderError) as raised:
            batches.submit({"state": "x" * 2**20} for _ in iter(int, 1))
        self.assertEqual(raised.exception.type, "body_too_large")


if __name__ == "__main__":
    unittest.main()
