"""Finds the cells of a written table, and words of a text, for the targets of attention heads."""

import re
from dataclasses import dataclass

from formats import Wording

Span = tuple[int, int]
#: Tables with a header, and those that repeat the key before each value.
HEADED, KEYED = ("csv", "markdown"), ("json", "yaml", "lines")
WITHIN_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Link:
    """Characters of a state whose tokens attend to other characters before them, in the head of losses.GUIDED."""

    head: str  # row or column
    source: Span
    target: Span


@dataclass(frozen=True)
class Cells:
    """Where a table has its parts."""

    names: list[Span]  # for each row, its name
    #: For each row, its values by key. A span begins with the key where it is repeated, and is that of the key if the value
    #: is empty; elsewhere, empty values are left out.
    values: list[dict[str, Span]]
    links: list[Link]  # of each value with the name of its row and with the head of its column


def locate(text: str, at: int, rows: list[dict], name: str, words: Wording, form: str, values_first: bool) -> Cells | None:
    """
    The cells of a table that begins at the character `at`. name: the key of the rows' names. values_first: values stand before
    the name of their row. None if a part is not found, because the form has escaped it.
    """

    def find(written: str) -> Span | None:
        nonlocal at
        found = find_whole(text, written, at)
        if found is not None:
            at = found[1]
        return found

    heads = {key: find(key) for key in rows[0]} if form in HEADED else {}
    names, values, links = [], [], []
    for row in rows:
        places: dict[str, Span] = {}
        named = None
        for key in reversed(row) if values_first else row:
            before = find(key) if form in KEYED and key != name else None
            # An unknown value in prose is not written as elsewhere.
            written = "unknown" if form == "prose" and row[key] is None else words.written(row[key])
            if not written:
                if before is not None:
                    places[key] = before
                continue
            found = find(written)
            if found is None:
                return None
            if key == name:
                named = found
                continue
            places[key] = found if before is None else (before[0], found[1])
            if named is not None:
                links.append(Link("row", found, named))
            if heads.get(key) is not None:
                links.append(Link("column", found, heads[key]))
        names.append(named)
        values.append(places)
    return Cells(names, values, links)


def find_whole(text: str, part: str, start: int = 0) -> Span | None:
    """
    Where a text has a part from `start` on, not within a word. Compiling a regular expression for each part took a quarter of
    the time to make a batch.
    """
    while (at := text.find(part, start)) >= 0:
        end = at + len(part)
        if not (at > 0 and WITHIN_WORD.match(text, at - 1) or WITHIN_WORD.match(text, end)):
            return at, end
        start = at + 1
    return None


def around(*spans: Span) -> Span:
    """From the first to the last of some spans."""
    return min(span[0] for span in spans), max(span[1] for span in spans)
