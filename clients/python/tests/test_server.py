"""Every call against a real server. URL, TOKEN: where it is; IMAGE: a file, if its model reads images."""

import io
import os
import unittest
from pathlib import Path

from decider import Decider, DeciderError, choice, noul, score

URL, TOKEN, IMAGE = os.environ.get("URL", ""), os.environ.get("TOKEN", ""), os.environ.get("IMAGE", "")


@unittest.skipUnless(URL, "URL names no server")
class Server(unittest.TestCase):
    def setUp(self) -> None:
        self.decider = Decider(URL, TOKEN)
        self.model = self.decider.models()["data"][0]["id"]

    def lines(self, count: int) -> list:
        questions = {"angry": noul("Is the customer angry?")}
        return [
            {"custom_id": f"case-{at}", "model": self.model, "state": f"Case {at}", "questions": questions}
            for at in range(count)
        ]

    def test_decide(self) -> None:
        decision = self.decider.decide(
            {"customer": "gold"},
            {
                "angry": noul("Is the customer angry?", {"yes": "shouts", "no": "is calm"}),
                "team": choice("Whose case is it?", {"billing": "Payments", "sales": None}),
                "urgent": score("How urgent is it?", ["can wait", "now"]),
            },
            raw_probabilities=True,
            label_mass=True,
            option_rotations=2,
        )
        self.assertIn(decision.answers["team"]["choice"], ("billing", "sales"))
        self.assertEqual(list(decision.answers["urgent"]["probabilities"]), ["0", "1"])
        self.assertEqual(set(decision.answers["angry"]["raw_probabilities"]), {"true", "false"})
        self.assertTrue(0 < decision.answers["urgent"]["label_mass"] <= 1)
        self.assertEqual(decision.usage["output_tokens"], 3)
        self.assertTrue(decision.info.request_id.startswith("req_"))  # type: ignore[union-attr]
        self.assertEqual(decision.info.attempts, 1)

    def test_decisions(self) -> None:
        request = {"model": self.model, "input": "Charged twice!", "questions": [{"type": "predicate", "name": "angry"}]}
        (answer,) = self.decider.decisions(request)["answers"]
        self.assertEqual((answer["type"], answer["name"]), ("predicate", "angry"))
        with self.assertRaises(DeciderError) as raised:
            self.decider.decisions({**request, "questions": []})
        self.assertEqual((raised.exception.type, raised.exception.field), ("invalid_questions", "questions"))

    def test_refusals(self) -> None:
        with self.assertRaises(DeciderError) as raised:
            self.decider.decide("x", {})
        self.assertEqual((raised.exception.type, raised.exception.status), ("invalid_questions", 422))
        # Not rounded: the answer would not be the one that was asked for.
        for rotations in (2.7, True, float("nan")):
            with self.assertRaises(DeciderError) as raised:
                self.decider.decide("x", {"a": noul("?")}, option_rotations=rotations)  # type: ignore[arg-type]
            self.assertEqual((raised.exception.type, raised.exception.status), ("invalid_request", 400))
        with self.assertRaises(DeciderError) as raised:
            Decider(URL, "dk_wrong").limits()
        self.assertEqual(raised.exception.type, "unauthorized")
        with self.assertRaises(DeciderError) as raised:
            self.decider.batches.submit([{"custom_id": "a b"}, *self.lines(1)])
        self.assertEqual((raised.exception.type, raised.exception.invalid_lines), ("invalid_batch", 1))
        self.assertEqual(raised.exception.lines[0]["type"], "invalid_custom_id")

    @unittest.skipUnless(IMAGE, "the model reads no images")
    def test_images(self) -> None:
        file = Path(IMAGE).read_bytes()
        padded = file + b"\0" * (80 * 1024)
        answers = []
        for source in (file, Path(IMAGE), IMAGE, io.BytesIO(file), padded):
            questions = {"damaged": noul("Is the parcel damaged?")}
            answers.append(self.decider.decide("Photo: [photo]", questions, images={"[photo]": source}))
        self.assertEqual(len({str(each.answers) for each in answers}), 1, "inline and as a form, the answer is the same")
        line = {**self.lines(1)[0], "state": "[photo]", "images": {"[photo]": IMAGE}}
        self.assertEqual([each["status"] for each in self.decider.batches.run([line])], [200])
        with self.assertRaises(DeciderError) as raised:
            self.decider.decide("[photo]", {"q": noul()}, images={"[photo]": b"GIF89a"})
        self.assertEqual(raised.exception.type, "unsupported_image_format")

    def test_batches(self) -> None:
        seen: list = []
        batches = self.decider.batches
        submitted = batches.submit(self.lines(25), idempotency_key="python")
        self.assertEqual(batches.submit(iter(self.lines(25)), idempotency_key="python")["id"], submitted["id"])
        batch = batches.wait(submitted["id"], on_progress=seen.append, poll_seconds=0.05)
        self.assertEqual(seen[-1], batch)
        results = list(batches.results(batch))
        self.assertEqual([each["custom_id"] for each in results], [f"case-{at}" for at in range(25)])
        self.assertEqual(list(batches.results(batch["id"])), results)
        self.assertIn(batch["id"], [each["id"] for each in batches.list()])
        with self.assertRaises(DeciderError) as raised:
            batches.cancel(batch["id"])
        self.assertEqual(raised.exception.type, "batch_finished")
        with self.assertRaises(DeciderError) as raised:
            batches.submit(self.lines(1), idempotency_key="python")
        self.assertEqual(raised.exception.type, "idempotency_conflict")

    def test_tasks(self) -> None:
        questions = {"angry": noul("Is the customer angry?")}
        made = self.decider.tasks.put("python", questions, description="Mail", target_error=0.1, confidence=0.9)
        self.assertEqual((made["version"], made["target_error"], made["confidence"]), (1, 0.1, 0.9))
        self.assertEqual(self.decider.tasks.show("python"), made)
        decision = self.decider.tasks.decide("python", {"customer": "gold"})
        self.assertEqual(decision.task, {"name": "python", "version": 1})
        self.assertIsNone(decision.answers["angry"]["accept"])
        answered = {"request_id": decision.info.request_id, "expected": {"angry": True}}
        labels = self.decider.tasks.label("python", iter([answered, {"state": "Hello", "expected": {"angry": False}}]))
        self.assertEqual((labels["lines"], labels["labels"]), (2, 2))
        self.assertEqual(self.decider.tasks.show("python")["labels"], 2)
        with self.assertRaises(DeciderError) as unknown:
            self.decider.tasks.label("python", [answered, {"state": "x", "expected": {"other": True}}])
        self.assertEqual((unknown.exception.type, unknown.exception.lines[0]["line"]), ("invalid_labels", 2))
        with self.assertRaises(DeciderError) as few:
            self.decider.tasks.fit("python")
        self.assertEqual(few.exception.type, "too_few_labels")
        self.assertEqual(few.exception.questions["angry"]["labels"], 2)
        self.assertEqual(self.decider.tasks.put("python", questions, model=self.model)["version"], 2)
        shadow = {"model": self.model, "share": 0.5}
        compared = self.decider.tasks.put("python", questions, model=self.model, shadow=shadow)["shadow"]
        self.assertEqual((compared["model"], compared["share"], compared["since"]), (self.model, 0.5, None))
        with self.assertRaises(DeciderError) as changed:
            self.decider.tasks.promote("python", version=2, model=compared["builds"]["shadow"])
        self.assertEqual(changed.exception.type, "shadow_changed")
        self.assertEqual([task["name"] for task in self.decider.tasks.list()], ["python"])
        self.assertTrue(self.decider.tasks.delete("python")["deleted"])
        with self.assertRaises(DeciderError) as raised:
            self.decider.tasks.show("python")
        self.assertEqual(raised.exception.type, "task_not_found")
        for name in ("", ".", "..", "a/b", "x" * 65):
            with self.assertRaises(ValueError):
                self.decider.tasks.show(name)

    def test_webhook(self) -> None:
        batch = self.decider.batches.wait(self.decider.batches.submit(self.lines(1))["id"], poll_seconds=0.05)
        for body in (f'{{"id":"{batch["id"]}","status":"failed"}}', {"id": batch["id"]}):
            self.assertEqual(self.decider.verify_webhook(body)["status"], "done")
        for body, type in (
            (b"", "invalid_request"),
            (b"[]", "invalid_request"),
            ({"id": "../limits"}, "invalid_request"),
            ({"id": "batch_" + "a" * 24}, "batch_not_found"),
        ):
            with self.assertRaises(DeciderError) as raised:
                self.decider.verify_webhook(body)
            self.assertEqual(raised.exception.type, type)

    def test_account(self) -> None:
        self.assertEqual(self.decider.health(), {"status": "ok"})
        self.assertEqual(self.decider.limits()["object"], "limits")
        self.assertEqual(self.decider.usage(1)["from"], self.decider.usage(1)["to"])


if __name__ == "__main__":
    unittest.main()
