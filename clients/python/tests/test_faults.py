"""What becomes of calls whose connection or server fails."""

import json
import socket
import time
import unittest

from decider import Decider, DeciderError, _tasks, noul
from decider._batches import file_of_batch
from decider._images import encode_line
from decider._time_limit import usual_time_limit
from tests.stub import Clock, Stub, chunked, client, response

ANSWER = json.dumps(
    {"model": "m-20260101", "answers": {"q": {"type": "noul", "noul": 0.9}}, "usage": {"input_tokens": 9, "output_tokens": 1}}
).encode()
QUESTIONS = {"q": noul("Is it?")}
BATCH = json.dumps({"id": "batch_" + "a" * 24, "object": "batch", "lines": 3}).encode()


def error(type: str, status: str, headers: str = "") -> bytes:
    return response(json.dumps({"error": "A sentence.", "type": type}).encode(), status, headers)


def refused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


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

    def test_an_error_at_any_byte_of_its_body_is_known_by_its_status(self) -> None:
        whole = error("internal_error", "500 Internal Server Error")
        body = whole.index(b"\r\n\r\n") + 4
        for at in range(body, len(whole)):
            with Stub(whole[:at], response(ANSWER)) as stub:
                self.assertEqual(client(stub.url).decide("x", QUESTIONS).info.attempts, 2)

    def test_a_server_that_is_away_gets_it_later(self) -> None:
        waits: list = []
        with self.assertRaises(DeciderError) as raised:
            client(f"http://127.0.0.1:{refused_port()}", waits).decide("x", QUESTIONS)
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

    def test_retry_after_as_a_date(self) -> None:
        waits: list = []
        date = "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"
        with Stub(error("overloaded", "503 Service Unavailable", date), response(ANSWER)) as stub:
            client(stub.url, waits).decide("x", QUESTIONS)
            self.assertEqual(waits, [0.0])

    def test_a_slow_response_ends_at_the_time_limit_although_bytes_arrive(self) -> None:
        def drip(connection: socket.socket) -> None:
            for at in range(len(ANSWER)):
                connection.sendall(response(ANSWER)[at : at + 1])
                time.sleep(0.02)

        with Stub(drip) as stub:
            failed = self.assert_fails(stub, "timeout", timeout=0.2)
            self.assertTrue(failed.outcome_unknown)
            self.assertEqual(len(stub.requests), 1)

    def test_an_answer_before_the_body_is_read(self) -> None:
        def refuse(connection: socket.socket) -> None:
            connection.sendall(error("body_too_large", "413 Payload Too Large"))

        with Stub(refuse) as stub:
            self.assert_fails(stub, "body_too_large")

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


def batch(available: bool) -> bytes:
    return response(json.dumps({"id": "b", "lines": 1, "results_available": available}).encode())


BUSY = error("overloaded", "503 Service Unavailable")


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
        ended = []

        def endless(connection: socket.socket) -> None:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while True:
                    connection.sendall(self.LINES[0] + b"\n")
            except OSError:
                ended.append(True)

        with Stub(endless) as stub:
            results = client(stub.url).batches.results("b")
            next(results)
            results.close()
            for _ in range(500):
                if ended:
                    break
                time.sleep(0.01)
        self.assertEqual(ended, [True])


def stored(lines: int, labels: int) -> bytes:
    task = {"name": "mail", "version": 1}
    return response(json.dumps({"object": "labels", "task": task, "lines": lines, "labels": labels}).encode())


class Labels(unittest.TestCase):
    named = {"request_id": "req_1", "expected": {"q": True}}
    decided = {"state": "x", "expected": {"q": True}}

    def test_several_calls_their_sums_and_the_progress(self) -> None:
        progress: list = []
        with Stub(stored(25, 25), stored(1, 26)) as stub:
            labels = (self.decided for _ in range(26))
            last = client(stub.url).tasks.label(
                "mail", labels, on_progress=lambda each: progress.append((each["lines"], each["labels"]))
            )
            self.assertEqual((last["lines"], last["labels"]), (26, 26))
            self.assertEqual(progress, [(25, 25), (26, 26)])
            self.assertEqual([request.count(b"state") for request in stub.requests], [25, 1])

    def test_a_string_or_one_label_in_place_of_a_list_is_refused(self) -> None:
        decider = client("http://127.0.0.1:9")
        for labels in ("{}", b"{}", {"request_id": "req_1", "expected": {}}):
            with self.assertRaisesRegex(TypeError, "^labels: must be a list"):
                decider.tasks.label("mail", labels)  # type: ignore[arg-type]

    def test_lines_of_an_error_count_from_the_first_label(self) -> None:
        errors = [{"line": 3, "type": "invalid_label", "error": "A sentence."}]
        body = {"error": "A sentence.", "type": "invalid_labels", "errors": errors, "invalid_lines": 1}
        with Stub(stored(25, 25), response(json.dumps(body).encode(), "422 Unprocessable Entity")) as stub:
            with self.assertRaises(DeciderError) as raised:
                client(stub.url).tasks.label("mail", [self.decided] * 30)
            self.assertEqual([line["line"] for line in raised.exception.lines], [28])

    def test_which_labels_are_sent_again(self) -> None:
        stateless = {**self.named, "state": None}
        for labels, sent in (([self.named, stateless], 3), ([self.named, self.decided], 1)):
            with Stub(error("outcome_unknown", "502 Bad Gateway")) as stub:
                with self.assertRaises(DeciderError):
                    client(stub.url).tasks.label("mail", labels)
                self.assertEqual(len(stub.requests), sent)

    def test_the_time_limit_of_a_call_grows_with_its_states(self) -> None:
        clock = Clock()

        def slow(connection: socket.socket) -> None:
            clock.advance(209)
            connection.sendall(stored(1, 1)[:-1])

        for states, type in ((1, "timeout"), (2, "connection_lost")):
            with Stub(slow) as stub:
                with self.assertRaises(DeciderError) as raised:
                    clock.client(stub.url).tasks.label("mail", [self.decided] * states)
                self.assertEqual(raised.exception.type, type)

    def test_limits_of_a_call(self) -> None:
        self.assertEqual(self.sizes(self.named, _tasks.LABEL_LINES_MAX), [_tasks.LABEL_LINES_MAX])
        self.assertEqual(self.sizes(self.named, _tasks.LABEL_LINES_MAX + 1), [_tasks.LABEL_LINES_MAX, 1])
        self.assertEqual(self.sizes(self.decided, _tasks.LABEL_STATES_MAX + 1), [_tasks.LABEL_STATES_MAX, 1])
        line = {"request_id": ""}
        line["request_id"] = "x" * (_tasks.LABEL_BYTES_MAX // 2 - len(encode_line(line)))
        self.assertEqual(self.sizes(line, 2), [2])
        line["request_id"] += "x"
        self.assertEqual(self.sizes(line, 2), [1, 1])
        with self.assertRaises(DeciderError) as large:
            self.sizes({"request_id": "x" * _tasks.LABEL_BYTES_MAX}, 1)
        self.assertEqual(large.exception.type, "body_too_large")
        with self.assertRaises(DeciderError) as empty:
            client("http://127.0.0.1:1").tasks.label("mail", [])
        self.assertEqual(empty.exception.type, "empty_batch")

    def sizes(self, label: dict, count: int) -> list:
        return [body.count(b"\n") for body, _ in _tasks._pieces([label] * count)]


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
