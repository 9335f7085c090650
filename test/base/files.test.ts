import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readJsonFile } from '../../src/base/index.js';
import { readManifest } from '../../src/engine/index.js';
import { loadSettings } from '../../src/settings/index.js';

test('the error for an invalid JSON file does not quote its content', async (t) => {
  const KEY = 'k3yk3yk3yk3y';
  const broken = [
    `{"store.master_key": ${KEY}}`,
    `{"store.master_key": "${KEY}" "a": 1}`,
    `{"store.master_key": "${KEY}`,
    `{"store.master_key": "\n${KEY}"}`,
    `{"store.master_key": "${KEY}",}`,
    `{"store.master_key": "${KEY}"}, "${KEY}"`,
    '',
  ];
  for (const [at, text] of broken.entries()) {
    const folder = t.testdir({ 'decider.json': text });
    const file = `${folder}/decider.json`;
    const message = (() => {
      try {
        return void loadSettings({}, file);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    t.ok(message?.startsWith(`${file}: not valid JSON, line `), `file ${at}`);
    t.notMatch(message, 'k3y', `file ${at}`);
    t.throws(() => readJsonFile(file), /^not valid JSON, line \d+, column \d+: (Expected|Unterminated|Bad)/);
  }
  const good = t.testdir({ 'good.json': '{"a": [1]}' });
  t.strictSame(readJsonFile(`${good}/good.json`), { a: [1] });
  t.throws(() => readJsonFile(`${good}/none.json`), { code: 'ENOENT', message: 'the file does not exist' });
});

test('a name that is given twice in a file that the operator writes is an error with its place', async (t) => {
  const folder = t.testdir({});
  const file = join(folder, 'manifest.json');
  for (const [text, place, name] of [
    ['{"port": 1,\n "port": 1}', 'line 2, column 2', 'port'],
    ['{"http": {"keep_alive_s": 5}, "http": {"drain_ms": 5}}', 'line 1, column 31', 'http'],
    ['{"http": {"drain_ms": 5, "drain_ms": 5}}', 'line 1, column 26', 'drain_ms'],
    [
      '{"billing": {"prices": {"a": {"live": 1, "batch": 1}, "a": {"live": 2, "batch": 1}}}}',
      'line 1, column 55',
      'a',
    ],
    ['{"billing": {"prices": {"a": {"live": 1, "live": 2, "batch": 1}}}}', 'line 1, column 42', 'live'],
    ['{"default": "a", "models": [{"id": "a", "id": "b"}]}', 'line 1, column 41', 'id'],
  ] as const) {
    writeFileSync(file, text);
    const message = `${file}: "${name}" is given twice, ${place}. Remove one of them.`;
    t.throws(() => loadSettings({}, file), { name: 'SettingsError', message });
    await t.rejects(readManifest(folder), { name: 'ModelError', message });
  }
});
