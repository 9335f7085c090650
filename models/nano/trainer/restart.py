"""
Writes a run's first checkpoint from a model's file, from which `train.py` continues.

    python3 restart.py decider-g-nano.gguf runs/1 --step 22200 --tokens 171400367

The file does not have the parameters that only training uses. They are trained for some hundred steps, the others unchanged.
"""

import argparse
from pathlib import Path
from random import Random

import torch

import gguf
from bank import TRAIN, Bank
from batches import Batches
from export import MATRICES
from losses import losses
from network import Network, Shape
from optimizer import Optimizer
from prompt import Prompts
from schedule import mix
from tokenizer import Tokenizer
from train import LENGTH, QUESTIONS, ROWS, make_concepts, store

STEPS, RATE, SHOWN_EVERY = 500, 0.01, 50
#: The file has sums of two vectors only, which are fitted in turn: until nothing changes any more.
FITTED = 100
#: The start of the names of the parameters that are in training only.
TRAINING_ONLY = ("concepts", "content_norm", "option_norm", "attribute_norm", "attributes", "negation")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--step", type=int, required=True, help="the number of steps that the file was trained for")
    parser.add_argument("--tokens", type=int, default=0, help="the number of tokens in these steps, for curve.tsv")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if (options.run / "checkpoint.pt").exists():
        parser.error(f"{options.run} has a checkpoint already; choose another folder")
    torch.manual_seed(options.seed)
    options.run.mkdir(parents=True, exist_ok=True)
    metadata, tensors = gguf.read(options.file)
    merges = [tuple(pair.split(" ")) for pair in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(metadata["tokenizer.ggml.tokens"], merges)
    concepts, prompts = make_concepts(tokenizer), Prompts(tokenizer)
    network = Network(Shape(), tokenizer, concepts.count, concepts.sizes())
    copy(network, {name: torch.from_numpy(tensor.copy()).float() for name, tensor in tensors.items()})
    batches = Batches(Bank(TRAIN), prompts, concepts, Random(options.seed))
    mix(batches, options.step)
    fit(network, prompts, batches)
    for parameter in network.parameters():
        parameter.requires_grad_()
    tokenizer.save(options.run / "tokenizer.json")
    store(options.run, network, Optimizer(network), options.step, options.tokens)


@torch.no_grad()
def copy(network: Network, tensors: dict[str, torch.Tensor]) -> None:
    """Sets the parameters that the file has."""
    for n, block in enumerate(network.blocks):
        block.attention_norm.weight.copy_(tensors[f"blk.{n}.attn_norm.weight"])
        block.feed_norm.weight.copy_(tensors[f"blk.{n}.ffn_norm.weight"])
        for name, written in MATRICES.items():
            getattr(block, name).copy_(tensors[f"blk.{n}.{written}.weight"])
    network.norm.weight.copy_(tensors["output_norm.weight"])
    # Each row is the vector of a word plus that of its form; the first form's vector is left as zero.
    rows, count = tensors["token_embd.weight"], len(network.contents)
    words, forms = torch.zeros(count, rows.shape[1]), torch.zeros_like(network.forms)
    sizes = torch.bincount(network.family, minlength=count)[:, None]
    for _ in range(FITTED):
        words = torch.zeros_like(words).index_add(0, network.family, rows - forms[network.form]) / sizes
        left = rows - words[network.family]
        for form in range(1, len(forms)):
            forms[form] = left[network.form == form].mean(0)
    network.contents.copy_(words[:, : network.contents.shape[1]])
    network.meanings.copy_(words[:, network.contents.shape[1] :])
    network.forms.copy_(forms)
    print(f"embeddings are reproduced within {(network.embeddings() - rows).abs().max():.4f}")


def fit(network: Network, prompts: Prompts, batches: Batches) -> None:
    """Trains the parameters that only training uses."""
    own = []
    for name, parameter in network.named_parameters():
        if name.startswith(TRAINING_ONLY):
            own.append(parameter)
        else:
            parameter.requires_grad_(False)
    network.concepts.data.normal_(0, 0.1)
    optimizer = torch.optim.Adam(own, lr=RATE)
    for step in range(STEPS):
        result = losses(network, prompts, batches.batch(ROWS, LENGTH, QUESTIONS), fast=True)
        optimizer.zero_grad()
        result.loss.backward()
        optimizer.step()
        if (step + 1) % SHOWN_EVERY == 0:
            parts = " ".join(f"{name} {part:.3f}" for name, part in result.parts.items())
            print(f"step {step + 1}/{STEPS} {parts}", flush=True)


if __name__ == "__main__":
    main()
