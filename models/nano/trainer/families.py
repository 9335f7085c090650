"""
Prints accuracy by family from an archive of `decider eval`, next to the share of the most frequent answer.

    decider eval cases.jsonl --archive archive.jsonl
    python3 families.py cases.jsonl archive.jsonl

The family is the name of the question without a number at its end.
"""

import json
import re
import sys
from collections import Counter, defaultdict


def main() -> None:
    cases = {case["id"]: case for case in map(json.loads, open(sys.argv[1], encoding="utf-8"))}
    right: Counter = Counter()
    answers: dict[str, list] = defaultdict(list)
    chances: dict[str, list[float]] = defaultdict(list)
    confidences: list[float] = []
    for line in open(sys.argv[2], encoding="utf-8"):
        record = json.loads(line)
        if record.get("variant") != "sent":
            continue
        case = cases[record["case"]]
        response = record["response"]
        given = (json.loads(response) if isinstance(response, str) else response)["answers"]
        for name, expected in case["expected"].items():
            question, answer = case["request"]["questions"][name], given[name]
            family = f"{re.sub(r'_?[0-9]+$', '', name)} ({question['type']})"
            probabilities = answer.get("raw_probabilities") or answer["probabilities"]
            best = max(probabilities, key=probabilities.get)
            right[family] += best == (json.dumps(expected) if isinstance(expected, bool) else str(expected))
            # Labels differ between questions, so the baseline of choices is guessing.
            answers[family].append(expected if question["type"] == "noul" else None)
            chances[family].append(1 / len(probabilities))
            # How far the best probability is above guessing, as a share of what is left.
            confidences.append((probabilities[best] - chances[family][-1]) / (1 - chances[family][-1]))
    for family in sorted(answers):
        total = len(answers[family])
        most = Counter(answers[family]).most_common(1)[0]
        baseline = sum(chances[family]) / total if most[0] is None else most[1] / total
        print(f"{family:24} {total:5} {right[family] / total:6.1%}  baseline {baseline:6.1%}")
    total = sum(len(one) for one in answers.values())
    print(f"{'all':24} {total:5} {sum(right.values()) / total:6.1%}  mean confidence {sum(confidences) / total:.3f}")


if __name__ == "__main__":
    main()
