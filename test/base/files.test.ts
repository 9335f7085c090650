import { test } from 'tap';
import { readJsonFile } from '../../src/base/index.js';
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
