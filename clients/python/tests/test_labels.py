"""Labels of tasks: calls, their limits, and what is sent again."""

import json
import socket
import unittest

from decider import DeciderError, _tasks
from decider._images import encode_line
from tests.stub import Clock, Stub, client, error, response


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


if __name__ == "__main__":
    unittest.main()
