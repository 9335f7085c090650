import { indented } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { BrowserStore } from '../ui/browser-store.js';

/** Sets of questions by name, each as the JSON of a request's `questions`. Kept in this browser only. */
export type QuestionSets = ReadonlyMap<string, string>;

/** Sets that are kept, and characters of a name. */
const SETS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;

const isSet = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');

const STORE = new BrowserStore<ReadonlyArray<readonly [string, string]>>(
  'decider.sets',
  'browser',
  (stored) => (Array.isArray(stored) ? stored.filter(isSet) : null),
);

export const readSets = (): QuestionSets => new Map(STORE.read() ?? []);

/** Keeps the sets. Throws Error if they do not fit. */
export function keepSets(sets: QuestionSets): QuestionSets {
  if (sets.size > SETS_MAX) throw new Error(`At most ${SETS_MAX} sets are kept. Delete one first.`);
  if (!STORE.write([...sets])) throw new Error('The browser has no room for it.');
  return sets;
}

/** The sets with another one, which replaces one of the same name. Throws Error. */
export function withSet(sets: QuestionSets, name: string, questions: string): QuestionSets {
  if (name === '' || [...name].length > NAME_CHARACTERS_MAX)
    throw new Error(`A name has 1 to ${NAME_CHARACTERS_MAX} characters.`);
  readJson(questions);
  return new Map([...sets, [name, questions]]);
}

/** The sets as a file: an object of questions by the name of their set, in the order written. */
export const fileOf = (sets: QuestionSets): string =>
  `{\n${[...sets].map(([name, questions]) => `${JSON.stringify(name)}: ${questions}`).join(',\n')}\n}\n`;

/** The sets of a file, added to others. Throws Error if it is none. */
export function withFile(sets: QuestionSets, text: string): QuestionSets {
  const read = readJson(text);
  if (read.kind !== 'object')
    throw new Error('The file is not an object of questions by the name of their set.');
  return read.entries.reduce((all, [name, questions]) => {
    if (questions.kind !== 'object') throw new Error(`The set "${name}" is not an object of questions.`);
    return withSet(all, name, indented(questions));
  }, sets);
}
