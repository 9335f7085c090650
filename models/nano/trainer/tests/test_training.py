"""
A run that was interrupted gives the same file as one that was not, and every processor gets the same products. Takes minutes;
needs PyTorch, NumPy and regex.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import torch

TRAINER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TRAINER))
import kernels  # noqa: E402

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


class Products(unittest.TestCase):
    def test_a_product_and_its_gradients_are_the_same_with_and_without_vectors_of_bfloat16(self):
        torch.manual_seed(1)
        found = []
        x, weight, given = torch.randn(40, 192), torch.randn(96, 192), torch.randn(40, 96)
        for narrow in (True, False):
            factors = [factor.clone().requires_grad_() for factor in (x, weight)]
            with mock.patch.object(kernels, "NARROW", narrow):
                result = kernels.product(*factors)
            self.assertEqual(result.dtype, torch.bfloat16)
            result.backward(given.bfloat16())
            found.append([result.float(), *(factor.grad for factor in factors)])
        for one, other in zip(*found):
            # Sums in another order may be rounded to the next number.
            self.assertTrue(torch.allclose(one, other, rtol=2**-7, atol=1e-2))


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
