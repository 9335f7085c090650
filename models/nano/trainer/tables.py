"""Tables: several rows with the same columns, as CSV, Markdown, JSON, YAML or prose, and the questions about their cells."""

from dataclasses import replace

from bank import TRAIN, Column
from cells import Link, around, locate
from fields import Fields
from formats import Wording, as_csv, as_json, as_markdown, as_yaml, readable, wording
from phrases import NAMES
from prompt import Question, yes_or_no
from rewording import rough

ROWS_MAX, COLUMNS_MAX = 6, 3
#: The share of tables whose kind is in the bank, and, of their questions, of those in the words of its columns.
NATURAL_SHARE, OWN_WORDS = 0.5, 0.7
#: Keys of the column that names the rows, and of a table in a JSON object.
NAME_KEYS = "name customer user item person id guest product member device".split()
PLURALS = "items customers rows records orders users results data entries".split()
TABLES = ("csv", "csv", "markdown", "markdown", "json", "json", "yaml", "lines", "prose", "prose")


#: The row and the key that a question is about, and the question.
Made = tuple[dict, str, Question | None] | None


class Tables(Fields):
    #: The columns of the present table whose kind is in the bank, by key.
    columns: dict[str, Column]

    def draw(self) -> tuple[str, list[Question], list[Link]]:
        """A table, every question that can be asked of it, in random order, and which of its parts belong together."""
        random = self.random
        form = random.choice(TABLES)
        rows, name = self.rows(1 if form == "prose" else COLUMNS_MAX)
        words = wording(random, 0.8 if form in ("json", "yaml") else 0.2)
        start, values_first = 0, False
        if form == "prose":
            start, text, values_first = self.prose(rows, name, words)
        else:
            text = self.written(form, rows, name, words)
        makers = [self.cell] * 4 + [self.row] * 2 + [self.cell_flag] * 3 + [self.cell_is] * 2 + [self.cell_missing] * 2
        random.shuffle(makers)
        made = [one for one in (make(rows, name) for make in makers) if one is not None and one[2] is not None]
        found = locate(text, start, rows, name, words, form, values_first)
        if found is None:
            return text, [question for _, _, question in made], []
        questions = []
        for row, key, question in made:
            number = rows.index(row)
            # If the row's name is asked for, too: its tokens come before the values and have not seen them.
            entry = found.values[number].get(key)
            if values_first and entry is not None:
                entry = around(found.names[number], entry)
            questions.append(replace(question, entry=entry))
        return text, questions, found.links

    def rows(self, columns_max: int) -> tuple[list[dict], str]:
        """The rows, and the key of the column with their names."""
        random = self.random
        self.columns = {}
        if self.bank.tables and random.random() < NATURAL_SHARE:
            return self.natural(columns_max)
        name = random.choice(NAME_KEYS)
        fields = [field for field in random.sample([*self.text, *self.statuses], 3) if len(field.values) > 1]
        fields += random.sample(self.flags, min(2, len(self.flags))) + random.sample(self.numbers, min(3, len(self.numbers)))
        columns = {field.key: field for field in random.sample(fields, random.randint(1, columns_max)) if field.key != name}
        names = {random.choice(NAMES) if random.random() < 0.5 else self.word() for _ in range(random.randint(2, ROWS_MAX))}
        rows = [{name: one, **{key: self.drawn(field) for key, field in columns.items()}} for one in sorted(names)]
        random.shuffle(rows)
        return rows, name

    def natural(self, columns_max: int) -> tuple[list[dict], str]:
        """The rows of a table whose kind is in the bank."""
        random = self.random
        table = random.choice(self.bank.tables)
        columns = random.sample(table.columns, random.randint(1, min(columns_max, len(table.columns))))
        self.columns = {column.key: column for column in columns}
        names = random.sample(table.rows, random.randint(2, min(ROWS_MAX, len(table.rows))))
        rows = [{table.name: one, **{column.key: self.cell_value(column) for column in columns}} for one in names]
        return rows, table.name

    def cell_value(self, column: Column) -> object:
        if self.random.random() < 0.05:
            return None
        if column.kind == "flag":
            return self.random.random() < 0.5
        return self.random.choice(column.values)

    def worded(self, asks: tuple[str, ...], form: str, type: str, **places: str) -> str | None:
        """A question in the words of its column, or in those of the form."""
        if not asks or self.random.random() > OWN_WORDS:
            return self.asked(form, type, **places)
        text = self.random.choice(asks)
        if self.bank.part == TRAIN:
            text = rough(text, self.random)
        for name, value in places.items():
            text = text.replace("{" + name + "}", value)
        return text

    def asks(self, key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ways to ask for a cell of a column, and for the row of a value."""
        column = self.columns.get(key)
        return (column.asks, column.asks_row) if column else ((), ())

    def drawn(self, field) -> object:
        random = self.random
        if random.random() < 0.08:
            return None
        if field.kind == "flag":
            return random.random() < 0.5
        return self.number() if field.kind == "number" else random.choice(field.values)

    def written(self, form: str, rows: list[dict], name: str, words: Wording) -> str:
        random = self.random
        if form == "csv":
            return as_csv(rows, words, random.choice((",", ",", ";", "\t")))
        if form == "markdown":
            return as_markdown(rows, words)
        if form == "lines":
            between = random.choice((": ", ", ", " - ", " | "))
            lines = (", ".join(f"{key} {words.written(value)}".strip() for key, value in row.items() if key != name) for row in rows)
            return "\n".join(row[name] + between + line for row, line in zip(rows, lines))
        by_name = {row[name]: {key: value for key, value in row.items() if key != name} for row in rows}
        whole = random.choice((rows, {random.choice(PLURALS): rows}, by_name))
        return as_yaml(whole, words) if form == "yaml" and whole is not rows else as_json(whole, words, random.choice((None, 2)))

    def prose(self, rows: list[dict], name: str, words: Wording) -> tuple[int, str, bool]:
        """
        One column in a sentence: "The age: Anna has 20, Ben 35 and Carla 12." Also, where its introduction ends, and whether
        values stand before names.
        """
        key = next((key for key in rows[0] if key != name), None)
        if key is None:
            return 0, ", ".join(row[name] for row in rows), False
        called = readable(key)
        values = ["unknown" if row[key] is None else words.written(row[key]) for row in rows]
        form = self.random.choice(("{0} {1}", "{0}: {1}", "{0} has {1}", "{0} ({1})", "{1} for {0}"))
        parts = [form.format(row[name], value) for row, value in zip(rows, values)]
        start = self.random.choice((f"{called}: ", f"The {called}: ", f"This is the {called} of each: ", f"List of {called}: "))
        whole = start + ", ".join(parts[:-1]) + self.random.choice((" and ", ", ", ", and ")) + parts[-1] + "."
        return len(start), whole, form.startswith("{1}")

    # Questions

    def pick(self, rows: list[dict], name: str, kinds: tuple[type, ...]) -> tuple[dict, str] | None:
        """A cell whose value is of one of the kinds: its row and its key."""
        cells = [(row, key) for row in rows for key, value in row.items() if key != name and type(value) in kinds]
        return self.random.choice(cells) if cells else None

    def cell(self, rows: list[dict], name: str) -> Made:
        found = self.pick(rows, name, (str, int, float))
        if found is None:
            return None
        row, key = found
        near = [str(other[key]) for other in rows if type(other[key]) in (str, int, float)]
        near += [value for value in row.values() if isinstance(value, str)] if isinstance(row[key], str) else []
        return row, key, self.choose("table", self.worded(self.asks(key)[0], "cell", "choice", key=self.spoken(key), row=row[name]), str(row[key]), near)

    def row(self, rows: list[dict], name: str) -> Made:
        """The row that has a value which no other row has."""
        found = self.pick(rows, name, (str, int, float))
        if found is None or len(rows) < 2:
            return None
        row, key = found
        if sum(other[key] == row[key] for other in rows) > 1:
            return None
        text = self.worded(self.asks(key)[1], "row", "choice", key=self.spoken(key), value=str(row[key]))
        return row, key, self.choose("table", text, row[name], [other[name] for other in rows])

    def cell_flag(self, rows: list[dict], name: str) -> Made:
        found = self.pick(rows, name, (bool,))
        if found is None:
            return None
        row, key = found
        asks = self.asks(key)[0]
        if asks and self.random.random() < OWN_WORDS:
            return row, key, yes_or_no("table", self.worded(asks, "cell_flag", "yes_no", key=self.spoken(key), row=row[name]), row[key], False)
        return row, key, self.yes_no("table", "cell_flag", row[key], key=self.spoken(key), row=row[name])

    def cell_is(self, rows: list[dict], name: str) -> Made:
        """Whether a cell has a value, which another row may have."""
        found = self.pick(rows, name, (str, int, float))
        if found is None:
            return None
        row, key = found
        others = [other[key] for other in rows if other[key] not in (None, row[key])]
        truth = self.random.random() < 0.5 or not others
        value = row[key] if truth else self.random.choice(others)
        return row, key, self.yes_no("table", "cell_is", truth, key=self.spoken(key), row=row[name], value=str(value))

    def cell_missing(self, rows: list[dict], name: str) -> Made:
        kinds = (type(None),) if self.random.random() < 0.6 else (str, int, float)
        found = self.pick(rows, name, kinds)
        if found is None:
            return None
        row, key = found
        return row, key, self.yes_no("table", "cell_missing", row[key] is None, key=self.spoken(key), row=row[name])
