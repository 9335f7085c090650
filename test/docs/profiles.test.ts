import { test } from 'tap';
import { BUILT_IN_FORMATS } from '../../src/engine/index.js';
import { DECISION_TYPES, LETTER_TYPES } from '../../src/engine/profile/metadata.js';
import { read } from '../support/pages.js';

const PROFILES = [...LETTER_TYPES, ...Object.keys(BUILT_IN_FORMATS)];
const REFUSED = Object.entries(DECISION_TYPES).flatMap(([type, each]) =>
  'refused' in each ? [[type, each.refused] as const] : [],
);
const codes = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, name]) => name as string);

/** The cells of the first table below a heading, without its head. */
function tableBelow(page: string, heading: string): string[][] {
  const [, below = ''] = read(page).split(`\n${heading}\n`);
  const lines = below.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

test('docs/models.md names every profile that models check can print, and every type that is refused', async (t) => {
  const rows = tableBelow('docs/models.md', '### Names of profiles');
  t.strictSame(
    rows.flatMap(([names]) => codes(names as string)),
    PROFILES,
  );
  const fromGguf = rows
    .filter(([, from]) => from === 'the GGUF')
    .flatMap(([names]) => codes(names as string));
  t.strictSame(fromGguf, LETTER_TYPES);
  const refused = /another type is refused,[^.]*\./.exec(read('docs/models.md'))?.[0] ?? '';
  t.strictSame(
    codes(refused),
    REFUSED.map(([type]) => type),
  );
});

test('the help of models check names every profile', async (t) => {
  const [, help] = read('docs/cli.md').split('Usage: decider models check') as [string, string];
  const names = /verify its profile\s+\(([^)]*)\)/.exec(help)?.[1] ?? '';
  t.strictSame(names.split(/,\s+|\s+or\s+/), PROFILES);
});

test('models/README.md says what becomes of every type and profile, with the reason of a refusal', async (t) => {
  const rows = tableBelow('models/README.md', '## Which model');
  const named = new Set(rows.flatMap(([, types]) => codes(types as string)));
  t.strictSame([...named].sort(), [...Object.keys(DECISION_TYPES), ...Object.keys(BUILT_IN_FORMATS)].sort());
  for (const [type, reason] of REFUSED) {
    const own = rows.filter(([, types]) => codes(types as string).includes(type));
    t.ok(own.length > 0);
    for (const cells of own) t.equal(cells.at(-1), `refused: ${reason}`, type);
  }
  for (const [, types, , , here] of rows.filter(
    ([, types]) => !REFUSED.some(([type]) => types?.includes(`\`${type}\``)),
  ))
    t.match(here, /loaded|accepted/, types ?? '');
});
