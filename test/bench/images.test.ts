import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';

const SCRIPT = fileURLToPath(new URL('../../bench/images.js', import.meta.url));

test('bench:images measures every kind of projector, file and budget', async (t) => {
  const json = join(t.testdir(), 'images.json');
  const { status, stderr } = spawnSync(
    process.execPath,
    [SCRIPT, '--small', '--rounds', '1', '--json', json],
    { encoding: 'utf8' },
  );
  t.equal(status, 0, stderr);
  const { cases } = JSON.parse(readFileSync(json, 'utf8'));
  t.equal(cases.length, 2 * 2 * 3);
  for (const { case: name, tokens, encode, cold, kept } of cases) {
    t.ok(tokens > 40 && tokens <= 282, name);
    for (const { median, min } of [encode, cold, kept]) t.ok(median >= min && min > 0, name);
  }
});
