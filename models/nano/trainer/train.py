"""
Trains the model, from the bank to the file that is shipped.

    python3 train.py --seed 1 --out runs/1

Shows progress, evaluates on the development part, writes a checkpoint every few minutes and continues from it when the
command is repeated. On one type of processor, a seed gives the same file, byte for byte, however often the run was continued.
"""

import argparse
import ctypes
import gc
import json
import multiprocessing
import os
import sys

# With huge pages, a step takes a quarter less time. The C library reads this when a program starts.
if __name__ == "__main__" and "GLIBC_TUNABLES" not in os.environ:
    os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    os.execv(sys.executable, sys.orig_argv)

# Before PyTorch is loaded. Each worker has one thread: several would add in an order that differs between runs.
os.environ["OMP_NUM_THREADS"] = "1"

import threading
import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from queue import Empty
from random import Random

import torch
from torch import distributed
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from bank import DEVELOPMENT, TRAIN, Bank
from batches import Batch, Batches, Concepts, make_concepts
from export import export
from losses import losses
from network import SEMANTIC, Network, Shape
from optimizer import Optimizer
from prompt import Prompts
from schedule import STEPS, learning_rate, mix, training_batches
from semantics import STEPS as VECTOR_STEPS
from semantics import word_vectors
from tokenizer import Tokenizer
from vocabulary import vocabulary
from wiring import Wiring

ROWS, LENGTH, QUESTIONS = 32, 256, 8
#: One batch in so many has long rows, so that the model sees states of several hundred tokens.
LONG_EVERY, LONG_ROWS, LONG_LENGTH = 8, 12, 640
#: After so many steps the workers set their parameters to the averages of all.
AVERAGE_EVERY = 10
EVALUATED_BATCHES, EVALUATE_EVERY = 8, 200
#: An answer with a confidence below this, scaled so that 0 is guessing, is unsure.
UNSURE = 0.5
#: In steps: a multiple of AVERAGE_EVERY, so that all workers have the same parameters.
CHECKPOINT_EVERY = 100
PROGRESS_SECONDS, FEEDER_SECONDS = 10, 60
#: That a worker waits for another one, which makes the vocabulary or evaluates, perhaps on a busy machine.
WAIT_HOURS = 6


def main() -> None:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.workers > 1:
        # Otherwise Gloo takes the address of the host's name, which need not be reachable.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        (options.out / "workers").unlink(missing_ok=True)
    others = [multiprocessing.Process(target=work, args=(options, rank)) for rank in range(1, options.workers)]
    for other in others:
        other.start()
    try:
        work(options, 0)
    finally:
        for other in others:
            other.terminate()
    export(options.out, options.out / "decider-g-nano.gguf", options.out / "reference.jsonl")


def work(options: argparse.Namespace, rank: int) -> None:
    """
    One of the workers, each of which trains on its own batches. The first shows progress.
    """
    if rank > 0:
        threading.Thread(target=end_with_parent, daemon=True).start()
    keep_memory()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    if options.workers > 1:
        address = f"file://{(options.out / 'workers').resolve()}"
        wait = timedelta(hours=WAIT_HOURS)
        distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=options.workers, timeout=wait)
    tokens = options.out / "tokenizer.json"
    if not tokens.exists() and rank == 0:
        vocabulary().save(tokens)
    if options.workers > 1:
        distributed.barrier()
    tokenizer = Tokenizer.load(tokens)
    prompts = Prompts(tokenizer)
    concepts = make_concepts(tokenizer)
    network = Network(Shape(), tokenizer, concepts.count, concepts.sizes())
    begun, tokens_before = stored_steps(options.out)
    if begun == 0:
        if rank == 0:
            print("word vectors …", flush=True)
        vectors, heads = word_vectors(tokenizer, concepts, Bank(TRAIN), SEMANTIC, options.seed, options.vector_steps)
        Wiring(network, prompts, options.seed, vectors, heads).apply()
    optimizer = Optimizer(network)
    if begun > 0:
        checkpoint = torch.load(worker_file(options.out, rank, begun))
        network.load_state_dict(checkpoint["network"])
        optimizer.restore(checkpoint["optimizer"])
        if rank == 0:
            print(f"continues at step {begun}", flush=True)
            shorten(options.out / "curve.tsv", begun)
    development = evaluation_batches(prompts, concepts) if rank == 0 else []
    queue: multiprocessing.Queue = multiprocessing.Queue(8)
    feeder = multiprocessing.Process(target=feed, args=(queue, tokens, options, rank, begun))
    feeder.start()
    try:
        run(options, rank, network, optimizer, prompts, queue, feeder, development, begun, tokens_before)
    finally:
        feeder.terminate()


def keep_memory() -> None:
    """
    Makes glibc reuse large blocks of memory. Otherwise each tensor is mapped anew and its pages are cleared, which takes a
    tenth of a step.
    """
    most_maps, trim_threshold = -4, -1
    glibc = ctypes.CDLL(None)
    glibc.mallopt(most_maps, 0)
    glibc.mallopt(trim_threshold, 2**31 - 1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help="for a trial: the number of steps after which to stop")
    parser.add_argument("--vector-steps", type=int, default=VECTOR_STEPS, help="for a trial: the steps of the word vectors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes that each train on their own batches")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def evaluation_batches(prompts: Prompts, concepts: Concepts) -> list[Batch]:
    batches = Batches(Bank(DEVELOPMENT), prompts, concepts, Random(0))
    return [batches.batch(ROWS, LENGTH) for _ in range(EVALUATED_BATCHES)]


def next_batch(queue: multiprocessing.Queue, feeder: multiprocessing.Process) -> Batch:
    while True:
        try:
            return queue.get(timeout=FEEDER_SECONDS)
        except Empty:
            if not feeder.is_alive():
                raise RuntimeError("The process that makes the batches has ended; see its error above.") from None


def feed(queue: multiprocessing.Queue, tokens: Path, options: argparse.Namespace, rank: int, begun: int) -> None:
    """Makes the batches. Each has its own seed, so that a continued run gets the same ones."""
    tokenizer = Tokenizer.load(tokens)
    random = Random(0)
    prompts, concepts = Prompts(tokenizer), make_concepts(tokenizer)
    threading.Thread(target=end_with_parent, daemon=True).start()
    batches = training_batches(prompts, concepts, random)
    # The bank lives as long as the process: do not search it again and again.
    gc.freeze()
    for step in range(begun, options.steps):
        random.seed(f"{options.seed} {step}" + (f" {rank}" if rank else ""))
        mix(batches, step)
        long = step % LONG_EVERY == LONG_EVERY - 1
        queue.put(batches.batch(LONG_ROWS if long else ROWS, LONG_LENGTH if long else LENGTH, QUESTIONS))


def end_with_parent() -> None:
    """A process that is killed cannot end those that it has started."""
    multiprocessing.parent_process().join()
    os._exit(0)


def run(options, rank: int, network: Network, optimizer: Optimizer, prompts: Prompts, queue, feeder, development, begun: int, tokens_before: int) -> None:
    """Trains from the step `begun` on."""
    started = shown = time.time()
    tokens, sums = 0, defaultdict(float)
    if begun == 0 and rank == 0:
        evaluate(options, network, prompts, development, 0, 0)
    for step in range(begun, options.steps):
        batch = next_batch(queue, feeder)
        result = losses(network, prompts, batch)
        result.loss.backward()
        optimizer.step(learning_rate(step))
        done = step + 1 == options.steps
        averaged = done or (step + 1) % AVERAGE_EVERY == 0
        if options.workers > 1 and averaged:
            average(network, options.workers)
        if rank == 0:
            tokens += options.workers * batch.used
        if done or (step + 1) % CHECKPOINT_EVERY == 0:
            store(options, rank, network, optimizer, step + 1, tokens_before + tokens)
        if rank > 0:
            continue
        for name, part in result.parts.items():
            sums[name] = 0.98 * sums[name] + 0.02 * part if name in sums else part
        now = time.time()
        if now - shown > PROGRESS_SECONDS:
            shown = now
            rate = tokens / (now - started)
            remaining = (options.steps - step) * (now - started) / (step + 1 - begun)
            parts = " ".join(f"{name} {part:.3f}" for name, part in sums.items())
            print(f"step {step + 1}/{options.steps} {rate:.0f} tokens/s {remaining / 60:.0f} min left {parts}", flush=True)
        if done or (step + 1) % EVALUATE_EVERY == 0:
            evaluate(options, network, prompts, development, step + 1, tokens_before + tokens)


def shorten(curve: Path, step: int) -> None:
    """Removes evaluations after a step: they are made again."""
    head, *rows = curve.read_text().splitlines(keepends=True)
    curve.write_text(head + "".join(row for row in rows if int(row.split("\t")[0]) <= step))


def worker_file(run: Path, rank: int, step: int) -> Path:
    return run / f"worker-{rank}-{step}.pt"


def stored_steps(run: Path) -> tuple[int, int]:
    """The steps and the tokens of the last whole checkpoint of a run."""
    file = run / "checkpoint.json"
    if not file.exists():
        return 0, 0
    checkpoint = json.loads(file.read_text())
    return checkpoint["step"], checkpoint["tokens"]


def store(options: argparse.Namespace, rank: int, network: Network, optimizer: Optimizer, step: int, tokens: int) -> None:
    """
    Writes the checkpoint of a run after a number of steps and tokens: a file of each worker, whose optimizers differ, and
    then one that names the step.
    """
    before, _ = stored_steps(options.out)
    torch.save({"network": network.state_dict(), "optimizer": optimizer.state()}, worker_file(options.out, rank, step))
    if options.workers > 1:
        distributed.barrier()
    if rank == 0:
        partial = options.out / "checkpoint.partial"
        partial.write_text(json.dumps({"step": step, "tokens": tokens}))
        partial.replace(options.out / "checkpoint.json")
    if options.workers > 1:
        distributed.barrier()
    if before != step:
        worker_file(options.out, rank, before).unlink(missing_ok=True)


@torch.no_grad()
def average(network: Network, workers: int) -> None:
    """Sets the parameters of all workers to their averages (local SGD: Stich, 2018)."""
    whole = parameters_to_vector(network.parameters())
    distributed.all_reduce(whole)
    vector_to_parameters(whole / workers, network.parameters())


@torch.no_grad()
def evaluate(options, network: Network, prompts: Prompts, batches: list[Batch], step: int, tokens: int) -> None:
    """
    Appends accuracies on the development part to curve.tsv and prints them; of flat questions, the share of unsure answers.
    """
    families: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    named: list[float] = []
    for batch in batches:
        result = losses(network, prompts, batch)
        most = result.logits.softmax(1).max(1)
        for answer, probability, right, content in zip(batch.answers, most.values.tolist(), most.indices.tolist(), result.contents):
            counts = families[f"{answer.family}{'?' if answer.type == 'noul' else ''}"]
            counts[0] += 1
            guessing = 1 / answer.options
            counts[1] += (probability - guessing) / (1 - guessing) < UNSURE if answer.flat else right == answer.answer
            counts[2] += content
        named.append(result.named)
    total = [sum(counts[n] for family, counts in families.items() if not family.startswith("unknown")) for n in range(3)]
    shares = {name: f"{counts[1] / counts[0]:.3f}" for name, counts in sorted(families.items())}
    print(f"development at step {step}: {total[1] / total[0]:.4f} (content {total[2] / total[0]:.3f}, options {sum(named) / len(named):.3f})", flush=True)
    print("  " + " ".join(f"{name} {share}" for name, share in shares.items()), flush=True)
    curve = options.out / "curve.tsv"
    if not curve.exists():
        curve.write_text("step\ttokens\taccuracy\t" + "\t".join(shares) + "\n")
    with curve.open("a") as lines:
        lines.write(f"{step}\t{tokens}\t{total[1] / total[0]:.4f}\t" + "\t".join(shares.values()) + "\n")


if __name__ == "__main__":
    main()
