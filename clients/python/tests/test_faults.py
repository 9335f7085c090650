"""What becomes of calls whose connection or server fails."""

import datetime
import math
import os
import socket
import ssl
import time
import unittest
import unittest.mock

from decider import DeciderError, noul
from decider._deadline import TimedSocket
from decider._errors import error_of_response
from tests.stub import ANSWER, BATCH, BUSY, Stub, batch, chunked, client, error, response

QUESTIONS = {"q": noul("Is it?")}


def refusing() -> socket.socket:
    """A port that refuses connections, and that nobody else gets until it is closed: it is bound, and nothing listens."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


class Decisions(unittest.TestCase):
    def assert_fails(self, stub: Stub, type: str, **options: object) -> DeciderError:
        with self.assertRaises(DeciderError) as raised:
            client(stub.url, **options).decide("x", QUESTIONS)
        self.assertEqual(raised.exception.type, type)
        return raised.exception

    def test_cut_at_every_byte_it_is_sent_once(self) -> None:
        whole = response(ANSWER)
        for at in range(len(whole)):
            with Stub(whole[:at]) as stub:
                failed = self.assert_fails(stub, "connection_lost")
                self.assertTrue(failed.outcome_unknown, at)
                self.assertEqual(len(stub.requests), 1, at)
        with Stub(whole) as stub:
            self.assertEqual(client(stub.url).decide("x", QUESTIONS).answers["q"]["noul"], 0.9)

    def test_cut_at_every_byte_of_chunks_it_is_sent_once(self) -> None:
        whole = chunked(ANSWER[:20], ANSWER[20:])
        # From the last chunk on, the response is complete.
        for at in range(len(whole) - len(b"0\r\n\r\n") + 1):
            with Stub(whole[:at]) as stub:
                self.assert_fails(stub, "connection_lost")
                self.assertEqual(len(stub.requests), 1, at)

    def test_an_error_cut_at_any_byte_of_its_body_may_be_that_of_a_proxy(self) -> None:
        for status, sent in (("500 Internal Server Error", 1), ("429 Too Many Requests", 2)):
            whole = error("internal_error", status)
            body = whole.index(b"\r\n\r\n") + 4
            for at in range(body, len(whole)):
                with Stub(whole[:at], response(ANSWER)) as stub:
                    try:
                        client(stub.url).decide("x", QUESTIONS)
                    except DeciderError as failed:
                        self.assertTrue(failed.outcome_unknown)
                    self.assertEqual(len(stub.requests), sent, at)

    def test_a_fault_without_a_body_of_the_server_is_not_sent_again(self) -> None:
        bodies = (b"", b"<html>", b"{}", b'{"error":"x"}', b'{"error":{"message":"x"}}', b'{"type":"x"}', b"[]")
        for status in (500, 502, 503, 504, 520, 521, 522, 523, 524, 530):
            for body in bodies:
                with Stub(response(body, f"{status} Status", "Retry-After: 0\r\n")) as stub:
                    failed = self.assert_fails(stub, "unknown")
                    self.assertTrue(failed.outcome_unknown, status)
                    self.assertEqual(len(stub.requests), 1, status)
                    with self.assertRaises(DeciderError):
                        client(stub.url).limits()
                    self.assertEqual(len(stub.requests), 2 if status == 530 else 4, status)
        for status, sent in {403: 1, 408: 3, 429: 3}.items():
            with Stub(response(b"<html>", f"{status} Status")) as stub:
                self.assertFalse(self.assert_fails(stub, "unknown").outcome_unknown, status)
                self.assertEqual(len(stub.requests), sent, status)

    def test_a_server_that_is_away_gets_it_later(self) -> None:
        waits: list = []
        with refusing() as bound, self.assertRaises(DeciderError) as raised:
            client(f"http://127.0.0.1:{bound.getsockname()[1]}", waits).decide("x", QUESTIONS)
        self.assertEqual(raised.exception.type, "unreachable")
        self.assertFalse(raised.exception.outcome_unknown)
        self.assertEqual(waits, [0.5, 1.0])

    def test_a_storm_of_503_is_waited_for_as_asked_and_ends(self) -> None:
        waits: list = []
        with Stub(error("overloaded", "503 Service Unavailable", "Retry-After: 7\r\n")) as stub:
            with self.assertRaises(DeciderError) as raised:
                client(stub.url, waits).decide("x", QUESTIONS)
            self.assertEqual(raised.exception.type, "overloaded")
            self.assertEqual(raised.exception.retry_after_seconds, 7)
            self.assertEqual((len(stub.requests), waits), (3, [7.0, 7.0]))

    def test_which_statuses_are_sent_again(self) -> None:
        for status, sent in {408: 3, 429: 3, 500: 3, 503: 3, 400: 1, 402: 1, 409: 1, 422: 1, 502: 1, 504: 1}.items():
            with Stub(error("overloaded", f"{status} Status")) as stub:
                failed = self.assert_fails(stub, "overloaded")
                self.assertEqual((len(stub.requests), failed.outcome_unknown), (sent, status in (502, 504)), status)

    def test_what_must_not_be_sent_again_is_not(self) -> None:
        for headers in ("Retry-After: 61\r\n", "X-Should-Retry: false\r\n"):
            with Stub(error("too_many_batches", "429 Too Many Requests", headers)) as stub:
                self.assert_fails(stub, "too_many_batches")
                self.assertEqual(len(stub.requests), 1, headers)

    def test_retry_after(self) -> None:
        now = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc).timestamp()
        values = {
            "0": 0.0,
            " 7 ": 7.0,
            "61": 61.0,
            "9999999999": 9_999_999_999.0,
            "9" * 25: 1e25,
            "9" * 400: math.inf,
            "Thu, 01 Jan 2026 00:00:05 GMT": 5.0,
            "Thursday, 01-Jan-26 00:00:05 GMT": 5.0,
            "Thu Jan  1 00:00:05 2026": 5.0,
            "Fri, 31 Dec 1999 23:59:59 GMT": 0.0,
        }
        values_of_nothing = ("soon", "-1", "1.5", "1e3", "5, 5", "\xb2", "")
        before = os.environ.get("TZ")
        try:
            for zone in ("UTC", "XXX-12", "XXX+11"):
                os.environ["TZ"] = zone
                time.tzset()
                for value, seconds in values.items():
                    found = error_of_response(429, {"retry-after": value}, b"", now).retry_after_seconds
                    self.assertEqual(found, seconds, (value, zone))
                for value in values_of_nothing:
                    self.assertIsNone(error_of_response(429, {"retry-after": value}, b"", now).retry_after_seconds, value)
        finally:
            os.environ.pop("TZ")
            if before is not None:
                os.environ["TZ"] = before
            time.tzset()

    def test_a_date_is_waited_for(self) -> None:
        waits: list = []
        date = "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"
        with Stub(error("overloaded", "503 Service Unavailable", date), response(ANSWER)) as stub:
            client(stub.url, waits).decide("x", QUESTIONS)
            self.assertEqual(waits, [0.0])

    def test_a_slow_response_ends_at_the_time_limit_although_bytes_arrive(self) -> None:
        def drip(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            # Until the client has closed the connection.
            while True:
                connection.sendall(b"X-More: x\r\n")
                time.sleep(0.1)

        with Stub(drip) as stub:
            failed = self.assert_fails(stub, "timeout", timeout=3)
            self.assertTrue(failed.outcome_unknown)
            self.assertEqual(len(stub.requests), 1)

    def test_an_answer_before_the_body_is_read(self) -> None:
        def refuse(connection: socket.socket) -> None:
            connection.sendall(error("body_too_large", "413 Payload Too Large"))

        with Stub(refuse) as stub:
            self.assert_fails(stub, "body_too_large")

    def test_an_answer_before_the_body_is_read_whatever_the_upload_ends_with(self) -> None:
        sent = TimedSocket.sendall
        for failure in (BrokenPipeError(), ConnectionResetError(), ConnectionAbortedError(), ssl.SSLEOFError(), OSError()):

            def fail(timed: TimedSocket, data: bytes) -> None:
                sent(timed, data)
                # The head and the body are sent one after the other.
                if not data.startswith(b"POST "):
                    raise failure

            with Stub(error("body_too_large", "413 Payload Too Large")) as stub:
                with unittest.mock.patch.object(TimedSocket, "sendall", fail):
                    self.assert_fails(stub, "body_too_large")

    def test_interim_responses_are_no_answer(self) -> None:
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        interims = (hints, b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 Processing\n\n" + hints * 9)
        for interim in interims:
            whole = interim + response(ANSWER)

            def drip(connection: socket.socket) -> None:
                for at in range(len(whole)):
                    connection.sendall(whole[at : at + 1])

            for answer in (whole, drip):
                with Stub(answer) as stub:
                    self.assertEqual(client(stub.url).decide("x", QUESTIONS).answers["q"]["noul"], 0.9)
            for at in range(len(whole)):
                with Stub(whole[:at]) as stub:
                    self.assert_fails(stub, "connection_lost")
                    self.assertEqual(len(stub.requests), 1, at)
        with Stub(b"HTTP/1.1 103 Early Hints\r\nLink: " + b"x" * 100_000) as stub:
            self.assert_fails(stub, "connection_lost")

    def test_a_success_that_is_not_of_the_interface(self) -> None:
        for body in (b"<html>", b"[]", b'{"ok":true}', b"\xff", b""):
            with Stub(response(body)) as stub:
                self.assertTrue(self.assert_fails(stub, "invalid_response").outcome_unknown)
                self.assertEqual(len(stub.requests), 1)

    def test_an_error_page_and_a_redirect(self) -> None:
        with Stub(response(b"<html>", "403 Forbidden")) as stub:
            self.assertEqual(self.assert_fails(stub, "unknown").status, 403)
        with Stub(response(b"", "307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n")) as stub:
            self.assertEqual(self.assert_fails(stub, "unknown").status, 307)
            self.assertEqual(len(stub.requests), 1)


class Free(unittest.TestCase):
    """Calls that may be sent again whatever became of them."""

    def test_a_read_survives_a_cut_and_a_502(self) -> None:
        whole = response(b'{"object":"limits"}')
        for first in (b"", whole[:-1], error("unknown", "502 Bad Gateway"), response(b"<html>")):
            with Stub(first, whole) as stub:
                self.assertEqual(client(stub.url).limits()["object"], "limits")
                self.assertEqual(len(stub.requests), 2)

    def test_a_submission_is_sent_again_with_the_same_key(self) -> None:
        whole = response(BATCH)
        for at in range(0, len(whole)):
            with Stub(whole[:at], whole) as stub:
                client(stub.url).batches.submit([{"custom_id": "a"}])
                first, second = stub.requests
                self.assertEqual(first, second, at)
                self.assertIn(b"\r\nIdempotency-Key: ", first)

    def test_a_wait_goes_on_while_the_server_is_away(self) -> None:
        with Stub(batch(False), *[BUSY] * 9, b"", b"", batch(True)) as stub:
            self.assertTrue(client(stub.url).batches.wait("b")["results_available"])
            self.assertEqual(len(stub.requests), 13)


class Misfits(unittest.TestCase):
    """Responses that only look like those of the interface."""

    def test_fields_that_are_missing(self) -> None:
        batch = b'{"id":"batch_aaaaaaaaaaaaaaaaaaaaaaaa"}'
        for body, call, type in (
            (b'{"answers":{}}', lambda decider: decider.decide("x", QUESTIONS), "invalid_response"),
            (b'{"answers":{}}', lambda decider: decider.tasks.decide("mail", "x"), "invalid_response"),
            (b'{"labels":1}', lambda decider: decider.tasks.label("mail", [{}]), "invalid_response"),
            (b'{"data":7}', lambda decider: list(decider.batches.list()), "invalid_response"),
            (b'{"data":[{}],"has_more":true}', lambda decider: list(decider.batches.list()), "invalid_response"),
            (batch, lambda decider: decider.verify_webhook(batch), "batch_not_finished"),
            (batch, lambda decider: decider.batches.wait("b", timeout=0), "timeout"),
        ):
            with Stub(response(body)) as stub:
                with self.assertRaises(DeciderError) as raised:
                    call(client(stub.url))
                self.assertEqual(raised.exception.type, type, body)

    def test_lengths_that_are_no_numbers(self) -> None:
        for length in (b"\xb2", b"1" * 5_000, b"-1", b"x"):
            with Stub(b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n\r\n{}") as stub:
                with self.assertRaises(DeciderError) as raised:
                    client(stub.url).limits()
                self.assertEqual(raised.exception.type, "invalid_response")


class Nested(unittest.TestCase):
    """JSON that is nested more deeply than Python reads."""

    DEEP = b"[" * 100_000

    def assert_invalid(self, type: str, answer: bytes, call: object) -> None:
        with Stub(answer) as stub:
            with self.assertRaises(DeciderError) as raised:
                call(client(stub.url))  # type: ignore[operator]
            self.assertEqual(raised.exception.type, type)

    def test_a_success_an_error_and_results(self) -> None:
        self.assert_invalid("invalid_response", response(self.DEEP), lambda decider: decider.limits())
        self.assert_invalid("unknown", response(self.DEEP, "403 Forbidden"), lambda decider: decider.limits())
        for end in (b"\n", b""):
            answer = chunked(self.DEEP + end)
            type = "invalid_response" if end else "connection_lost"
            self.assert_invalid(type, answer, lambda decider: list(decider.batches.results({"id": "b", "lines": 1})))

    def test_a_webhook(self) -> None:
        with self.assertRaises(DeciderError) as raised:
            client("http://127.0.0.1:1").verify_webhook(b"[" * 2_000)
        self.assertEqual(raised.exception.type, "invalid_request")


if __name__ == "__main__":
    unittest.main()
