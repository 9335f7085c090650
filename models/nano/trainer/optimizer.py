"""Muon for the matrices of the blocks, AdamW for everything else."""

import torch
from torch import Tensor, nn

from kernels import NARROW

MUON_RATE, ADAM_RATE = 0.003, 0.002
RATES = {"contents": 0.001, "meanings": 0.004, "norm": 0.0005}
MOMENTUM, DECAY = 0.95, 0.01


class Optimizer:
    def __init__(self, network: nn.Module):
        named = dict(network.named_parameters())
        matrices = [p for name, p in named.items() if name.startswith("blocks.") and p.ndim == 2]
        chosen = {id(p) for p in matrices}
        self.others = [p for p in named.values() if id(p) not in chosen]
        rates = {id(p): RATES.get("norm" if "norm" in name else name, ADAM_RATE) for name, p in named.items()}
        groups = [{"params": [p], "rate": rates[id(p)]} for p in self.others]
        self.adam = torch.optim.AdamW(groups, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.0)
        self.groups: dict[torch.Size, list[Tensor]] = {}
        for p in matrices:
            self.groups.setdefault(p.shape, []).append(p)
        self.moments = {shape: torch.zeros(len(ps), *shape) for shape, ps in self.groups.items()}

    @torch.no_grad()
    def step(self, scale: float) -> None:
        """One step with the learning rates times `scale`; clears the gradients."""
        muon_rate = scale * MUON_RATE
        for group in self.adam.param_groups:
            group["lr"] = group["rate"] * scale
        nn.utils.clip_grad_norm_(self.others, 1.0)
        self.adam.step()
        for shape, ps in self.groups.items():
            gradient = torch.stack([p.grad for p in ps])
            moment = self.moments[shape].mul_(MOMENTUM).add_(gradient)
            update = orthogonal(gradient + MOMENTUM * moment)
            rate = muon_rate * max(1, shape[0] / shape[1]) ** 0.5
            for p, change in zip(ps, update):
                p.mul_(1 - muon_rate * DECAY).add_(change, alpha=-rate)
        for p in [*self.others, *(p for ps in self.groups.values() for p in ps)]:
            p.grad = None

    def state(self) -> dict:
        return {"adam": self.adam.state_dict(), "moments": self.moments}

    def restore(self, state: dict) -> None:
        self.adam.load_state_dict(state["adam"])
        self.moments = state["moments"]


def orthogonal(x: Tensor) -> Tensor:
    """The nearest orthogonal matrices, by five Newton-Schulz steps, in bfloat16 where that is fast (Jordan et al., Muon, 2024)."""
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    if NARROW:
        x = x.bfloat16()
    for _ in range(5):
        a = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return (x.transpose(1, 2) if tall else x).float()
