"""Calls `attention.c` and `norms.c` from PyTorch, whose own operators pass over memory more often."""

import ctypes
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

FILES = [Path(__file__).with_name(name) for name in ("attention.c", "norms.c", "bfloat16.h")]
#: As in attention.c.
HEAD, LONGEST = 32, 2048
#: Whether PyTorch multiplies matrices of bfloat16 with vectors. Otherwise a step takes a hundred times as long as in float32.
NARROW = torch.backends.cpu.get_cpu_capability() == "AVX512"
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-lm"]


def _build() -> ctypes.CDLL:
    digest = hashlib.sha256(" ".join(FLAGS).encode() + b"".join(file.read_bytes() for file in FILES)).hexdigest()[:16]
    library = Path(tempfile.gettempdir()) / f"nano-kernels-{digest}-{os.getuid()}.so"
    if not library.exists():
        partial = library.with_suffix(f".{os.getpid()}")
        sources = [str(file) for file in FILES if file.suffix == ".c"]
        subprocess.run([os.environ.get("CC", "cc"), *sources, "-o", str(partial), *FLAGS], check=True)
        partial.rename(library)
    return ctypes.CDLL(str(library))


_library = None


def _call(name: str, *arguments: Tensor | int | float) -> None:
    global _library
    if _library is None:
        _library = _build()
    getattr(_library, name)(*map(_value, arguments))


def _value(argument: Tensor | int | float):
    if isinstance(argument, Tensor):
        return ctypes.c_void_p(argument.data_ptr())
    return ctypes.c_float(argument) if isinstance(argument, float) else ctypes.c_int(argument)


def product(x: Tensor, weight: Tensor) -> Tensor:
    """x times the transpose of weight, of factors rounded to bfloat16. Returns bfloat16."""
    x, weight = x.bfloat16(), weight.bfloat16()
    return F.linear(x, weight) if NARROW else F.linear(x.float(), weight.float()).bfloat16()


class Attend(torch.autograd.Function):
    """
    qkv: rows x length x 3 x heads x 32 (bfloat16); angles: rows x length x 16 x {cos, sin}; ranges: rows x length x 3
    (int32). Returns rows x length x heads x 32 (bfloat16).
    """

    @staticmethod
    def forward(context, qkv: Tensor, angles: Tensor, ranges: Tensor) -> Tensor:
        qkv = qkv.contiguous()
        rows, length, _, heads, head = qkv.shape
        assert head == HEAD and length <= LONGEST and ranges.dtype == torch.int32
        assert angles.is_contiguous() and ranges.is_contiguous()
        out = torch.empty(rows, length, heads, head, dtype=torch.bfloat16)
        _call("attend", out, qkv, angles, ranges, rows, length, heads)
        context.save_for_backward(qkv, angles, ranges)
        return out

    @staticmethod
    def backward(context, dout: Tensor):
        qkv, angles, ranges = context.saved_tensors
        rows, length, _, heads, _ = qkv.shape
        dqkv = torch.empty_like(qkv)
        _call("attend_backward", dqkv, dout.contiguous(), qkv, angles, ranges, rows, length, heads)
        return dqkv, None, None


class Normed(torch.autograd.Function):
    """x: rows x length x width (float32). Returns bfloat16 of the same shape."""

    @staticmethod
    def forward(context, x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        x = x.contiguous()
        tokens, width = x.numel() // x.shape[-1], x.shape[-1]
        out, scales = torch.empty_like(x, dtype=torch.bfloat16), torch.empty(tokens)
        _call("norm", out, scales, x, weight, epsilon, tokens, width)
        context.save_for_backward(x, weight, scales)
        return out

    @staticmethod
    def backward(context, dout: Tensor):
        x, weight, scales = context.saved_tensors
        dx, dweight = torch.empty_like(x), torch.zeros_like(weight)
        _call("norm_backward", dx, dweight, dout.contiguous(), scales, x, weight, scales.numel(), x.shape[-1])
        return dx, dweight, None


class Gated(torch.autograd.Function):
    """silu(gate) * up. both: rows x length x (gate and up), bfloat16. Returns half of the last dimension."""

    @staticmethod
    def forward(context, both: Tensor) -> Tensor:
        both = both.contiguous()
        width = both.shape[-1] // 2
        out = torch.empty(*both.shape[:-1], width, dtype=torch.bfloat16)
        _call("gated", out, both, out.numel() // width, width)
        context.save_for_backward(both)
        return out

    @staticmethod
    def backward(context, dout: Tensor):
        (both,) = context.saved_tensors
        dboth = torch.empty_like(both)
        _call("gated_backward", dboth, dout.contiguous(), both, dout.numel() // dout.shape[-1], dout.shape[-1])
        return dboth
