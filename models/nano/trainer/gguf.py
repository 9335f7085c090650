"""Writes and reads GGUF files, version 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""

import struct
from pathlib import Path

import numpy as np

ALIGNMENT = 32
VERSION = 3
#: The number of each type of value, and how `struct` packs it.
TYPES = {"uint32": (4, "<I"), "int32": (5, "<i"), "float32": (6, "<f"), "bool": (7, "<?"), "string": (8, None)}
ARRAY = 9
TENSOR_TYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}


def write(path: Path, metadata: dict[str, tuple[str, object]], tensors: dict[str, np.ndarray]) -> None:
    """
    metadata: a type of TYPES with a value; a list is an array of that type.
    tensors: float16 or float32, in NumPy's order of dimensions, which GGUF reverses.
    """
    header = bytearray(b"GGUF" + struct.pack("<IQQ", VERSION, len(tensors), len(metadata)))
    for key, (type, value) in metadata.items():
        header += _string(key)
        if isinstance(value, list):
            header += struct.pack("<IIQ", ARRAY, TYPES[type][0], len(value))
            header += b"".join(_scalar(type, one) for one in value)
        else:
            header += struct.pack("<I", TYPES[type][0]) + _scalar(type, value)
    offset = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        header += _string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        header += struct.pack("<IQ", TENSOR_TYPES[tensor.dtype], offset)
        offset += len(_padded(tensor.tobytes()))
    with path.open("wb") as file:
        file.write(_padded(bytes(header)))
        for tensor in tensors.values():
            file.write(_padded(tensor.tobytes()))


def read(path: Path) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    """The metadata and the tensors of a file that `write` has written."""
    data = path.read_bytes()
    at = 8  # after the magic and the version
    names = {number: name for name, (number, _) in TYPES.items()}

    def unpack(form: str):
        nonlocal at
        [value] = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return value

    def scalar(type: int):
        nonlocal at
        if names[type] != "string":
            return unpack(TYPES[names[type]][1])
        length = unpack("<Q")
        at += length
        return data[at - length : at].decode()

    def value():
        type = unpack("<I")
        if type != ARRAY:
            return scalar(type)
        inner, length = unpack("<I"), unpack("<Q")
        return [scalar(inner) for _ in range(length)]

    count, keys = unpack("<Q"), unpack("<Q")
    metadata = {scalar(TYPES["string"][0]): value() for _ in range(keys)}
    infos = []
    for _ in range(count):
        name = scalar(TYPES["string"][0])
        shape = [unpack("<Q") for _ in range(unpack("<I"))][::-1]
        infos.append((name, shape, unpack("<I"), unpack("<Q")))
    start = at + -at % ALIGNMENT
    types = {number: dtype for dtype, number in TENSOR_TYPES.items()}
    return metadata, {
        name: np.frombuffer(data, types[type], int(np.prod(shape)), start + offset).reshape(shape) for name, shape, type, offset in infos
    }


def _scalar(type: str, value) -> bytes:
    return _string(value) if type == "string" else struct.pack(TYPES[type][1], value)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)
