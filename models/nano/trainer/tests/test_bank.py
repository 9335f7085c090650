"""What is held out stays held out, and no text of the evaluation sets is trained. Needs Python alone."""

import sys
import unittest
from pathlib import Path
from random import Random

TRAINER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TRAINER))

from bank import DEVELOPMENT, HELD, TRAIN, Bank  # noqa: E402
from membership import digests  # noqa: E402
from overlap import overlaps  # noqa: E402
from phrases import expand  # noqa: E402
from unknown import Unknown  # noqa: E402

HELD_OUT = TRAINER.parent / "evaluation" / "held-out.txt"


class Split(unittest.TestCase):
    def test_every_text_that_was_held_out_still_is(self):
        before = set(HELD_OUT.read_text().split())
        self.assertGreater(len(before), 9000)
        self.assertEqual(before - digests(HELD), set())

    def test_the_parts_share_no_text(self):
        parts = [digests(part) for part in (TRAIN, DEVELOPMENT, HELD)]
        # Texts that differ can have one digest: of so many, a few do.
        self.assertLess(len(parts[0] & parts[2]), 10)
        self.assertLess(len(parts[1] & parts[2]), 10)

    def test_no_text_of_the_evaluation_sets_is_trained(self):
        self.assertEqual(overlaps(), [])


class Texts(unittest.TestCase):
    def test_alternatives_are_filled_in(self):
        bank, random = Bank(TRAIN), Random(1)
        for message in bank.phrases:
            self.assertNotIn("|", expand(message.text, random).replace("||", ""), message.text)

    def test_unknown_questions_have_options_and_no_answer(self):
        unknown = Unknown(Bank(TRAIN), Random(1))
        self.assertGreaterEqual(len(unknown.kinds), 15)
        for _ in range(2000):
            _, text, asked = unknown.draw(3)
            self.assertTrue(text)
            for question in asked:
                self.assertTrue(question.flat)
                names = [option.name for option in question.options]
                self.assertEqual(len(set(names)), len(names))
                self.assertGreaterEqual(len(names), 2)


if __name__ == "__main__":
    unittest.main()
