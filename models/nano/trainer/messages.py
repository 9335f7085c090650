"""Customer-support messages and the questions about them."""

import json
from dataclasses import replace
from random import Random

from bank import DEVELOPMENT, HELD, REPLACEMENTS, TRAIN, Bank, Label, Message, Scale, words
from phrases import expand
from prompt import Option, Question, yes_or_no
from rewording import Rewording

#: What sentences added to a message make of it.
ADDED = {
    "anger_tail": {"anger": True, "sentiment": "neg"},
    "negative_tail": {"sentiment": "neg"},
    "sarcasm": {"sentiment": "neg"},
    "praise": {"sentiment": "pos"},
    "urgent2": {"urgency": 2},
    "urgent3": {"urgency": 3},
    "no_hurry": {"urgency": 0},
    "refund_request": {"refund": True},
    "cancel_request": {"cancel": True},
}
#: Pairs of topics that one message can be about: the message of a stolen account is about account and security. A
#: yes-or-no question about the other topic would have no certain answer, and is not asked.
NEAR = tuple(
    frozenset(pair.split())
    for pair in (
        "account security", "account technical", "account feedback", "billing cancellation", "billing refund", "cancellation order_change",
        "cancellation refund", "complaint_service delivery", "complaint_service feedback", "damaged_item delivery",
        "damaged_item refund", "damaged_item technical", "damaged_item warranty_repair", "delivery order_change",
        "feedback product_question", "feedback technical", "product_question technical", "technical warranty_repair",
    )
)
#: The share of yes-or-no questions that ask for the opposite. They are rare in practice and hard, so they are trained more.
NEGATED = {TRAIN: 0.2, DEVELOPMENT: 0.1, HELD: 0.1}
#: Weights of messages and of phrases. There are four messages for each phrase, but a phrase has many expansions.
WEIGHTS = {TRAIN: (0.7, 0.3), DEVELOPMENT: (0.5, 0.5), HELD: (0.5, 0.5)}


#: Topics whose messages mostly report that something went wrong, so that praise after them is not meant.
PROBLEMS = ("complaint_service", "damaged_item", "delivery", "technical")
#: How often a scale of urgency is one of those without a level for messages that say nothing about time.
DATED_SHARE = 0.4
WRAPPERS = ("Customer: {}", "Message: {}", "Ticket: {}", "From the customer: {}", "Subject: question\n\n{}", '"{}"')
TRUTHS = [("yes", "no"), ("Yes", "No"), ("true", "false"), ("YES", "NO")]
WISHES = {
    "refund": [
        ("refund requested", "no refund requested"),
        ("wants refund", "no refund"),
        ("refund", "none"),
        ("asks for money back", "does not ask for money back"),
        ("money_back", "other"),
        ("REFUND", "NO_REFUND"),
        ("refund wanted", "not wanted"),
    ],
    "cancel": [
        ("cancellation requested", "no cancellation"),
        ("wants to cancel", "does not want to cancel"),
        ("cancel", "none"),
        ("cancel", "keep"),
        ("cancellation", "no_cancellation"),
        ("CANCEL", "NO_CANCEL"),
        ("wants out", "stays"),
    ],
}


class Messages:
    def __init__(self, bank: Bank, random: Random):
        self.bank, self.random = bank, random
        everything = bank.messages + bank.phrases
        self.sources = [(_pools(source), _by_topic(source)) for source in (bank.messages, bank.phrases) if source]
        self.by_topic = _by_topic(everything)
        self.topics = sorted(self.by_topic)
        self.topics_of_intent: dict[str, set[str]] = {}
        for message in everything:
            self.topics_of_intent.setdefault(message.intent.split(".")[1], set()).add(message.topic)
        self.labels = {kind: _by_meaning(labels) for kind, labels in bank.labels.items()}
        #: Those with a description; each meaning of `labels` is there.
        self.described = {
            kind: {meaning: [one for one in labels if one.description] for meaning, labels in meanings.items()}
            for kind, meanings in self.labels.items()
        }
        self.rewording = Rewording(bank, random, REPLACEMENTS)
        self.dated = [scale for scale in bank.scales[3] if _is_dated(scale)]

    # A state

    def draw(self) -> Message:
        """A message: one of the bank or of its phrases, in the training part often changed."""
        random = self.random
        pools, by_topic = random.choices(self.sources, WEIGHTS[self.bank.part][: len(self.sources)])[0]
        pool = random.choices([pool for _, pool in pools], [weight for weight, _ in pools])[0]
        if random.random() < 0.5 or not pool:
            pool = by_topic[random.choice(list(by_topic))]
        message = random.choice(pool)
        message = replace(message, text=expand(message.text, random))
        if self.bank.part != TRAIN:
            return message
        if random.random() < 0.45:
            message = self.extend(message)
        return replace(message, text=self.rewording.message(message.text))

    def extend(self, message: Message) -> Message:
        """Adds sentences, and what they say about the message."""
        random = self.random
        before, after = [], []
        if random.random() < 0.4:
            before += self.one_of("opener")
        if random.random() < 0.7:
            kind = random.choice(list(ADDED))
            if self.can_add(kind, message):
                sentence = self.one_of(kind)
                (before if random.random() < 0.25 else after).extend(sentence)
                if sentence:
                    message = replace(message, **ADDED[kind])
        if random.random() < 0.35:
            after += self.one_of("closer")
        return replace(message, text=" ".join([*before, message.text, *after]))

    def one_of(self, kind: str) -> list[str]:
        sentences = self.bank.sentences.get(kind)
        return [expand(self.random.choice(sentences), self.random)] if sentences else []

    def can_add(self, kind: str, message: Message) -> bool:
        if kind == "praise":
            return message.sentiment == "neu" and message.topic in ("feedback", "product_question", "order_change")
        if kind in ("anger_tail", "negative_tail"):
            return message.sentiment == "neu" and message.topic not in ("other", "product_question")
        if kind == "sarcasm":
            return message.sentiment != "pos" and message.topic in PROBLEMS
        if kind == "no_hurry":
            return message.urgency == 1
        if kind in ("urgent2", "urgent3"):
            return message.urgency <= 1 and not (message.urgency == 0)
        if kind == "refund_request":
            return not message.cancel and message.topic in ("billing", "damaged_item", "delivery", "refund", "warranty_repair", "technical")
        return not message.refund and message.topic in ("billing", "account", "technical", "delivery", "cancellation")

    def state(self, message: Message) -> str:
        """The message as a state: plain, with a word before it, or in a record."""
        random = self.random
        form = random.random()
        if form < 0.66:
            return message.text
        if form < 0.8:
            return random.choice(WRAPPERS).format(message.text)
        record = {"id": random.randint(1, 99999)} if random.random() < 0.5 else {}
        record[random.choice(("channel", "source"))] = random.choice(("email", "chat", "phone", "web form"))
        if random.random() < 0.4:
            record["customer"] = random.choice(("Anna", "Mr Lee", "J. Smith", "Priya", "Omar K.", "Lena"))
        record[random.choice(("message", "text", "body", "content"))] = message.text
        return json.dumps(record, indent=2, ensure_ascii=False)

    # Questions

    def questions(self, message: Message, count: int) -> list[Question]:
        kinds = (
            (self.topic, 4), (self.team, 2), (self.intent, 3), (self.refund, 2), (self.cancel, 2), (self.anger, 2),
            (self.sentiment, 2), (self.urgency, 3), (self.about, 3), (self.intent_is, 1), (self.mentions, 1),
            (self.team_is, 1),
        )
        makers = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds], k=count * 2)
        made = (make(message) for make in makers)
        return [question for question in made if question is not None][:count]

    def others(self, message: Message) -> list[str]:
        """Topics that are certainly not the message's."""
        close = {message.topic}
        if message.refund:
            close.add("refund")
        if message.cancel:
            close.add("cancellation")
        if message.sentiment == "neg":
            close.add("complaint_service")
        if message.anger or message.sentiment == "pos":
            close.add("feedback")
        name = message.intent.split(".")[1]
        close |= self.topics_of_intent[name]
        return [topic for topic in self.topics if topic not in close]

    def far(self, message: Message) -> list[str]:
        """Topics that the message is certainly not about, without those near its own."""
        return [topic for topic in self.others(message) if frozenset((topic, message.topic)) not in NEAR]

    def choose(self, kind: str, right: str, wrong: list[str], described_share: float, concept: str) -> tuple[tuple[Option, ...], int] | None:
        """Options in random order with the place of the right one; half of the time none has a description."""
        random = self.random
        names = self.labels.get(kind, {})
        if right not in names:
            return None
        count = min(random.choice((2, 3, 3, 4, 4, 5, 6, 8)), len(wrong) + 1)
        meanings = [right, *random.sample([one for one in wrong if one in names], min(count - 1, len([one for one in wrong if one in names])))]
        if len(meanings) < 2:
            return None
        random.shuffle(meanings)
        with_descriptions = random.random() < described_share
        opaque = with_descriptions and random.random() < 0.15
        options = []
        for number, meaning in enumerate(meanings):
            described = self.described[kind][meaning]
            candidates = described if with_descriptions and described else names[meaning]
            label = self.rewording.label(random.choice(candidates), described)
            name = random.choice(("c", "label_", "q", "option ", "")) + str(number + 1) if opaque and label.description else label.name
            options.append(Option(name, label.description if with_descriptions else None, (concept, meaning)))
        if len({option.name for option in options}) < len(options):
            return None
        return tuple(options), meanings.index(right)

    def choice(self, family: str, form: str, kind: str, right: str, wrong: list[str], described_share: float, concept: str) -> Question | None:
        chosen = self.choose(kind, right, wrong, described_share, concept)
        text = self.bank.ask(self.random, form, "choice")
        if chosen is None or text is None:
            return None
        options, answer = chosen
        return Question(family, "choice", text, options, answer)

    def yes_no(self, family: str, form: str, truth: bool, **places: str) -> Question | None:
        negated = self.random.random() < NEGATED[self.bank.part]
        text = self.bank.ask(self.random, form + "_not" if negated else form, "yes_no", **places)
        return None if text is None else yes_or_no(family, text, truth, negated)

    def topic(self, message: Message) -> Question | None:
        return self.choice("topic", "topic", "topic", message.topic, self.others(message), 0.5, "topic")

    def team(self, message: Message) -> Question | None:
        return self.choice("team", "team", "team", message.topic, self.others(message), 0.45, "topic")

    def intent(self, message: Message) -> Question | None:
        names = self.labels.get("intent", {})
        own = message.intent.split(".")[1]
        near = [one for one in names if one.startswith(message.topic + ".") and one != message.intent]
        others = set(self.others(message))
        far = [one for one in names if one.split(".")[0] in others]
        wrong = [one for one in (near if self.random.random() < 0.4 else far) if one.split(".")[1] != own]
        return self.choice("intent", "intent", "intent", message.intent, wrong, 0.45, "intent")

    def about(self, message: Message) -> Question | None:
        truth = self.random.random() < 0.5
        topic = message.topic if truth else self.random.choice(self.far(message) or [message.topic])
        label = self.random.choice(self.labels["topic"].get(topic) or [Label(topic, topic, None)])
        return self.yes_no("about", "about", topic == message.topic, x=self.subject(label))

    def team_is(self, message: Message) -> Question | None:
        truth = self.random.random() < 0.5
        topic = message.topic if truth else self.random.choice(self.far(message) or [message.topic])
        label = self.random.choice(self.labels["team"].get(topic) or [Label(topic, topic, None)])
        return self.yes_no("team", "team_is", topic == message.topic, x=self.rewording.label(label, [label]).name)

    def intent_is(self, message: Message) -> Question | None:
        names = self.labels.get("intent")
        if not names or message.intent not in names:
            return None
        truth = self.random.random() < 0.5
        others = self.far(message)
        wrong = [one for one in names if one.split(".")[0] in others]
        intent = message.intent if truth or not wrong else self.random.choice(wrong)
        return self.yes_no("intent", "intent_is", intent == message.intent, x=self.subject(self.random.choice(names[intent])))

    def subject(self, label: Label) -> str:
        label = self.rewording.label(label, [label])
        if label.description and self.random.random() < 0.3:
            return label.description.rstrip(".")
        name = label.name
        return name.replace("_", " ").lower() if self.random.random() < 0.6 else name

    def mentions(self, message: Message) -> Question | None:
        own = [word for word in words(message.text) if len(word) > 3]
        other = [word for word in words(self.random.choice(self.bank.messages).text) if len(word) > 3]
        truth = self.random.random() < 0.5
        pool = own if truth else other
        if not pool:
            return None
        word = self.random.choice(pool)
        truth = word.lower() in message.text.lower()
        return self.yes_no("mentions", "mentions", truth, x=self.random.choice((word.lower(), f'"{word.lower()}"', word)))

    def refund(self, message: Message) -> Question | None:
        return self.wish("refund", "wants_refund", message.refund)

    def cancel(self, message: Message) -> Question | None:
        return self.wish("cancel", "wants_cancel", message.cancel)

    def wish(self, family: str, form: str, truth: bool) -> Question | None:
        if self.random.random() < 0.75:
            return self.yes_no(family, form, truth)
        text = self.bank.ask(self.random, family, "choice")
        names = self.random.choice(WISHES[family] if self.random.random() < 0.7 else TRUTHS)
        options = [Option(name, None, ("answer", which)) for name, which in zip(names, ("yes", "no"))]
        return self.shuffled(family, "choice", text, options, 0 if truth else 1)

    def shuffled(self, family: str, type: str, text: str | None, options: list[Option], right: int) -> Question | None:
        if text is None:
            return None
        chosen = options[right]
        self.random.shuffle(options)
        return Question(family, type, text, tuple(options), options.index(chosen))

    def anger(self, message: Message) -> Question | None:
        if not message.anger and message.sentiment == "neg" and self.random.random() < 0.5:
            return None
        if self.random.random() < 0.7:
            return self.yes_no("anger", "anger", message.anger)
        right, wrong = ("angry", "calm") if message.anger else ("calm", "angry")
        return self.choice("anger", "anger", "anger", right, [wrong], 0.45, "anger")

    def sentiment(self, message: Message) -> Question | None:
        kind = self.random.random()
        right = message.sentiment
        if kind < 0.6:
            return self.choice("sentiment", "sentiment", "sentiment", right, [one for one in ("pos", "neu", "neg") if one != right], 0.4, "sentiment")
        if kind < 0.85:
            asked = self.random.choice(("positive", "negative", "neutral"))
            return self.yes_no("sentiment", f"is_{asked}", right == asked[:3])
        names = self.labels["sentiment"]
        order = ["neg", "neu", "pos"]
        levels = [self.random.choice([one for one in names.get(m, []) if one.description] or names[m]) for m in order if m in names]
        text = self.bank.ask(self.random, "sentiment", "score")
        if text is None or len(levels) < 3:
            return None
        options = tuple(Option(str(n), one.description or one.name, ("sentiment", m)) for n, (one, m) in enumerate(zip(levels, order)))
        return Question("sentiment", "score", text, options, order.index(right))

    def urgency(self, message: Message) -> Question | None:
        kind = self.random.random()
        right = message.urgency
        if kind < 0.25:
            wrong = [str(one) for one in range(4) if one != right and not {one, right} == {0, 1}]
            return self.choice("urgency", "urgency", "urgency", str(right), wrong, 0.5, "urgency")
        if kind < 0.75:
            return self.scale(message)
        if kind < 0.92:
            return None if right == 1 and self.random.random() < 0.4 else self.yes_no("urgency", "is_urgent", right >= 2)
        return None if right == 1 else self.yes_no("urgency", "can_wait", right == 0)

    def scale(self, message: Message) -> Question | None:
        dated = self.dated and self.random.random() < DATED_SHARE
        scales = self.dated if dated else self.bank.scales[self.random.choice((3, 3, 4, 5))]
        text = self.bank.ask(self.random, "urgency", "score")
        if not scales or text is None:
            return None
        scale = self.random.choice(scales)
        urgency = message.urgency
        if urgency == 1 and message.sentiment == "pos" and _is_dated(scale):
            urgency = 0  # Thanks: nothing is left to do.
        fitting = [n for n, (meanings, _) in enumerate(scale) if urgency in meanings]
        if len(fitting) != 1:
            return None
        named = self.random.random() < 0.35
        options = []
        for n, (meanings, label) in enumerate(scale):
            text_of = label.name if named or not label.description else label.description
            if not named and label.description and not label.name.isdigit() and self.random.random() < 0.5:
                text_of = f"{label.name}: {label.description}"
            options.append(Option(str(n), text_of, ("urgency", str(int(max(0, min(3, meanings[-1])))))))
        if named and scale[0][1].name.isdigit():
            return None
        return Question("urgency", "score", text, tuple(options), fitting[0])


def _is_dated(scale: Scale) -> bool:
    """Whether a scale has no level for messages that say nothing about time, such as "can wait, this week, now"."""
    return all(1 not in meanings for meanings, _ in scale)


def _pools(messages: list[Message]) -> list[tuple[float, list[Message]]]:
    """Messages to draw from, with weights: rare attributes are drawn more often than they occur."""
    return [
        (0.60, messages),
        (0.10, [m for m in messages if m.refund]),
        (0.08, [m for m in messages if m.cancel]),
        (0.08, [m for m in messages if m.anger]),
        (0.06, [m for m in messages if m.sentiment == "pos"]),
        (0.05, [m for m in messages if m.urgency == 3]),
        (0.03, [m for m in messages if m.urgency == 0]),
    ]


def _by_topic(messages: list[Message]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for message in messages:
        found.setdefault(message.topic, []).append(message)
    return found


def _by_meaning(labels: list[Label]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = {}
    for label in labels:
        found.setdefault(label.meaning, []).append(label)
    return found
