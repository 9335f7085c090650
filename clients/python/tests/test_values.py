"""What is sent is what the caller gave."""

import unittest
from typing import Any, Callable

from decider import Decider, choice, noul, score
from tests.stub import client

QUESTIONS = {"q": noul("Is it?")}
LINE = {"custom_id": "a", "model": "m", "state": "x", "questions": QUESTIONS}


class Values(unittest.TestCase):
    decider = client("http://127.0.0.1:9")

    def test_numbers_that_json_does_not_have_are_refused_in_every_call(self) -> None:
        for number in (float("nan"), float("inf"), float("-inf")):
            bad = {"deep": [number]}
            calls: "list[Callable[[Decider], Any]]" = [
                lambda d: d.decide(bad, QUESTIONS),
                lambda d: d.decide("x", {"q": {"type": "noul", "instructions": bad}}),
                lambda d: d.decide(bad, QUESTIONS, images={"[i]": b"\x89PNG" + b"x" * 70_000}),
                lambda d: d.decisions({"model": "m", "input": bad, "questions": []}),
                lambda d: d.batches.submit([LINE, {**LINE, "state": bad}]),
                lambda d: d.tasks.put("t", QUESTIONS, target_error=number),
                lambda d: d.tasks.decide("t", bad),
                lambda d: d.tasks.label("t", [{"request_id": "r", "expected": {"q": number}}]),
            ]
            for call in calls:
                with self.assertRaisesRegex(ValueError, "not JSON compliant"):
                    call(self.decider)

    def test_what_is_no_line_and_no_label_is_refused(self) -> None:
        for entry in ("{}", b"{}", 5, None, [LINE], ["x"]):
            with self.assertRaisesRegex(TypeError, "must be a mapping"):
                self.decider.batches.submit([entry])  # type: ignore[list-item]
            with self.assertRaisesRegex(TypeError, "must be a mapping"):
                self.decider.tasks.label("t", [entry])  # type: ignore[list-item]
        with self.assertRaisesRegex(TypeError, "^lines: must be a list"):
            self.decider.batches.submit(LINE)  # type: ignore[arg-type]
        with self.assertRaises(UnicodeEncodeError):
            self.decider.batches.submit('{"a":"\ud800"}')

    def test_options_without_an_order_are_refused(self) -> None:
        for criteria in ("billing", b"billing", {"billing", "sales"}, frozenset(("a", "b"))):
            for builder in (choice, score):
                with self.assertRaisesRegex(TypeError, "^criteria: must be a list"):
                    builder("Which?", criteria)  # type: ignore[arg-type]
        self.assertEqual(list(choice(None, {"10": "ten", "2": "two"})["criteria"]), ["10", "2"])
        self.assertEqual(choice(None, ("b", "a"))["criteria"], ["b", "a"])
        # Views of a dictionary are sets with an order.
        self.assertEqual(choice(None, {"b": 1, "a": 2}.keys())["criteria"], ["b", "a"])  # type: ignore[arg-type]
        self.assertEqual(score(None, (each for each in ("low", None)))["criteria"], ["low", None])  # type: ignore[arg-type]
