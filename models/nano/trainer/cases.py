"""
Writes evaluation cases for `decider eval`, of the development part or of the held-out tenth.

    python3 cases.py held > held.jsonl
"""

import argparse
import json
import sys
from random import Random

from bank import DEVELOPMENT, HELD, Bank
from export import question_json
from messages import Messages
from prompt import Question
from records import Records

STATES, QUESTIONS = 2_700, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=(DEVELOPMENT, HELD))
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bank, random = Bank(options.part), Random(options.seed)
    messages, records = Messages(bank, random), Records(bank, random)
    for number in range(options.states):
        # Three of five states are messages, so that builds can be compared.
        if number % 5 < 3:
            message = messages.draw()
            text, asked = messages.state(message), messages.questions(message, QUESTIONS)
        else:
            text, asked, _ = records.draw()
        asked = [question for question in asked if not question.flat]
        for place, question in enumerate(asked[:QUESTIONS]):
            write(f"{number}-{place}", text, question, grouped=options.part == HELD)


def write(id: str, text: str, question: Question, grouped: bool) -> None:
    """One question; grouped by family for the evaluation, and by state for fitting, where states must not be divided."""
    name = question.family
    request = {"state": state(text), "questions": {name: question_json(question)}}
    case = {"id": id, "group": name if grouped else id.split("-")[0], "request": request, "expected": {name: right(question)}}
    json.dump(case, sys.stdout, ensure_ascii=False)
    print()


def state(text: str):
    """JSON records are sent as JSON, where the server writes them in the same way."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    same = isinstance(value, dict) and json.dumps(value, indent=2, ensure_ascii=False) == text
    return value if same else text


def right(question: Question):
    if question.type == "noul":
        return question.answer == 0
    return question.answer if question.type == "score" else question.options[question.answer].name


if __name__ == "__main__":
    main()
