"""A run that was interrupted gives the same file as one that was not. Takes minutes; needs PyTorch, NumPy and regex."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TRAINER = Path(__file__).resolve().parent.parent
#: A checkpoint of a trial is written at its last step. Half of the steps must be a multiple of train.AVERAGE_EVERY.
STEPS, VECTOR_STEPS = 20, 5
FILES = ("decider-g-nano.gguf", "reference.jsonl", "curve.tsv", "tokenizer.json")


class Training(unittest.TestCase):
    def test_an_interrupted_run_gives_the_same_file(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, parts = Path(folder) / "whole", Path(folder) / "parts"
            train(whole, STEPS, hash_seed=1)
            train(parts, STEPS // 2, hash_seed=2)
            # Evaluated at the end of a trial, and not between.
            (parts / "curve.tsv").write_text("".join((parts / "curve.tsv").read_text().splitlines(keepends=True)[:-1]))
            train(parts, STEPS, hash_seed=3)
            for name in FILES:
                self.assertEqual(digest(whole / name), digest(parts / name), name)

    def test_another_seed_gives_another_file(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = [Path(folder) / seed for seed in ("1", "2")]
            train(runs[0], 2, seed=1)
            runs[1].mkdir()
            # The vocabulary takes longest, and no seed changes it.
            shutil.copy(runs[0] / "tokenizer.json", runs[1])
            train(runs[1], 2, seed=2)
            self.assertNotEqual(*(digest(run / FILES[0]) for run in runs))


def train(run: Path, steps: int, hash_seed: int = 0, seed: int = 1) -> None:
    command = [sys.executable, "train.py", f"--steps={steps}", f"--vector-steps={VECTOR_STEPS}", f"--seed={seed}", f"--out={run}"]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(command, cwd=TRAINER, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    unittest.main()
