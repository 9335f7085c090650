export interface SearchCase {
  readonly name: string;
  readonly text: string;
  readonly references: readonly string[];
}

const REFERENCE_LENGTH = 1_024;

/** Ordinary strings and adversarial ones, each with the given bytes of references, none of which occurs. */
export function searchCases(textBytes: number, referencesBytes: number): SearchCase[] {
  const count = referencesBytes / REFERENCE_LENGTH;
  const references = (of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${of(index)}${index}`.padEnd(REFERENCE_LENGTH, '#'));
  const text = (of: string) => of.repeat(Math.ceil(textBytes / of.length)).slice(0, textBytes);
  const named = references((index) => `[image ${index}: `);
  const letters = references((index) => 'etaoin shrdlu'.slice(index % 13) + 'x'.repeat(index));
  const almost = 'a'.repeat(REFERENCE_LENGTH - 8);
  return [
    { name: 'words', text: text('the parcel was lost '), references: named },
    {
      name: 'words, references of the same letters',
      text: text('the parcel was lost '),
      references: letters,
    },
    { name: 'aaaa', text: text('a'), references: references(() => almost) },
    { name: 'abab', text: text('ab'), references: references(() => 'ab'.repeat(almost.length / 2)) },
    {
      name: 'references but for their ends',
      text: text(named.map((reference) => reference.slice(0, -1)).join('')),
      references: named,
    },
    { name: 'é', text: text('é漢'), references: references(() => 'é漢'.repeat(REFERENCE_LENGTH / 2 - 4)) },
  ];
}

/** A request with a state of `a`s and eight references of maximum length that almost match at every position. */
export function referencesBody(bytes: number): Buffer {
  const assets = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `${'a'.repeat(REFERENCE_LENGTH - 1)}${index}`,
      { format: 'png', data_base64: '' },
    ]),
  );
  const body = (state: string) => ({ state, questions: { q: { type: 'noul' } }, assets });
  const room = bytes - JSON.stringify(body('')).length;
  return Buffer.from(JSON.stringify(body('a'.repeat(room))));
}
