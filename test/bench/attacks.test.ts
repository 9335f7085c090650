import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { ATTACKS } from '../../bench/attacks/attacks.js';
import { LONG } from '../support/scale.js';

const SCRIPT = fileURLToPath(new URL('../../bench/attacks.js', import.meta.url));
/** An attack here needs 140 MiB at most. */
const GROWTH_BYTES_MAX = 400 * 1024 ** 2;

interface Measured {
  readonly attack: string;
  readonly during: { readonly failed: number; readonly all: number };
  readonly after: { readonly failed: number; readonly all: number };
  readonly memory: { readonly before: number; readonly most: number };
}

test('during an attack every request of another caller is answered, and the memory is bounded', {
  skip: LONG ? false : 'only at full scale (SCALE=long)',
}, (t) => {
  const file = join(t.testdir(), 'attacks.json');
  execFileSync(process.execPath, [SCRIPT, '--seconds', '1', '--json', file], { stdio: 'ignore' });
  const { attacks } = JSON.parse(readFileSync(file, 'utf8')) as { attacks: Measured[] };
  t.strictSame(
    attacks.map(({ attack }) => attack),
    Object.keys(ATTACKS),
  );
  for (const { attack, during, after, memory } of attacks) {
    t.ok(during.all > 0 && after.all > 0, attack);
    t.equal(during.failed + after.failed, 0, attack);
    t.ok(memory.most - memory.before < GROWTH_BYTES_MAX, `${attack}: ${memory.most - memory.before} bytes`);
  }
  t.end();
});
