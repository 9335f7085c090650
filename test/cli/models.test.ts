import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { run } from '../support/cli.js';
import { modelsFolder } from '../support/server.js';

test('models list: a line per build, and JSON', async (t) => {
  const environment = { DECIDER_MODELS: modelsFolder(t.testdir()) };
  const listed = await run(t, ['models', 'list'], environment);
  t.match(listed.stdout, /^tiny-20260101 \(default\) {2}\S*tiny\.gguf$/);
  const { stdout } = await run(t, ['models', 'list', '--json'], environment);
  t.match(JSON.parse(stdout), [
    { build: 'tiny-20260101', model: 'tiny', default: true, reads_images: false },
  ]);
});

test('models check: loads, shows the profile, the letters and a first answer', async (t) => {
  const environment = { DECIDER_MODELS: modelsFolder(t.testdir(), {}, { profile: 'mapika' }) };
  const { code, stdout } = await run(t, ['models', 'check', 'tiny', '--json'], environment);
  t.equal(code, 0);
  const [check] = JSON.parse(stdout);
  t.match(check, { build: 'tiny-20260101', profile: 'mapika', source: 'manifest', contextLength: 131_072 });
  t.equal(Object.keys(check.labels).slice(0, 27).join(''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZAA');
  t.strictSame(check.options, { max: 130, lettersOnly: null });
  const sum = Object.values(check.answer.probabilities as Record<string, number>).reduce((a, b) => a + b, 0);
  t.equal(Math.round(sum * 10_000), 10_000);
  const shown = await run(t, ['models', 'check'], environment);
  t.match(shown.stdout, /profile +mapika \(from the manifest\)/);
  t.match(shown.stdout, /options +up to 130: A to Z and 104 pairs of letters/);
  t.match(shown.stdout, /labels +A \d+, B \d+/);
});

test('models check: a name that is not in the manifest, and a checksum that differs, end with 1', async (t) => {
  const models = modelsFolder(t.testdir());
  const unknown = await run(t, ['models', 'check', 'big'], { DECIDER_MODELS: models });
  t.equal(unknown.code, 1);
  t.match(unknown.stderr, /^The manifest has no model big\. Run: decider models list\n$/);
  writeFileSync(join(models, 'tiny.gguf'), 'other');
  const changed = await run(t, ['models', 'check'], { DECIDER_MODELS: models });
  t.equal(changed.code, 1);
  t.match(changed.stderr, /^\S*tiny\.gguf: its SHA-256 is [^\n]+\n$/);
});
