import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { readManifest } from '../../src/engine/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { blocks } from '../support/pages.js';
import { dataFolder } from '../support/server.js';
import { ROOT } from '../support/sources.js';
import { startExampleServer } from './examples-server.js';

// What the pages of docs show is what works.
const server = await startExampleServer(tap);
const block = (page: string, language: string, at = 0) => blocks(page, language)[at] as string;

test('docs/accounts.md: the commands succeed in this order', async (t) => {
  const command = `decider() { "${process.execPath}" dist/src/cli/main.js "$@"; }`;
  const script = `set -e; ${command}\n${block('docs/accounts.md', 'sh')}`;
  const printed = await server.command('bash', ['-c', script], { DECIDER_DATA: dataFolder(t) });
  t.match(printed, /^balance: +25\.00? GBP$/m);
  t.match(printed, /^token: dk_\w{40}$/m);
});

test('docs/batches.md: the file is accepted and answered by the three calls', async (t) => {
  const folder = t.testdir({ 'cases.jsonl': block('docs/batches.md', 'jsonl') });
  const [submit, show, results] = block('docs/batches.md', 'sh').trim().split('\n') as [
    string,
    string,
    string,
  ];
  const call = (line: string, own = {}) => server.command('bash', ['-c', `cd "${folder}"; ${line} -s`], own);
  const { id: ID } = JSON.parse(await call(submit));
  const state = async () => JSON.parse(await call(show, { ID }));
  while (!(await state()).results_available);
  const lines = (await call(results, { ID })).trim().split('\n');
  t.strictSame(
    lines.map((line) => JSON.parse(line).custom_id),
    ['case-1', 'case-2'],
  );
});

test('docs/api.md: the requests are answered', async (t) => {
  const plain = JSON.parse(block('docs/api.md', 'json'));
  t.match(await server.ask(plain), { answers: { angry: { type: 'noul' }, team: { type: 'choice' } } });
  const withImage = JSON.parse(block('docs/api.md', 'json', 1));
  const image = await server.command('base64', ['-w', '0', join(ROOT, 'examples/parcel.png')]);
  Object.assign(withImage.assets['parcel.jpg'], { format: 'png', data_base64: image });
  const random = await startExampleServer(t, 'models/random');
  t.match(await random.ask(withImage), { answers: { damaged: { type: 'noul' } } });
});

test('docs/errors.md: the example is what the server answers', async (t) => {
  const criteria = Array.from({ length: 27 }, (_, at) => `option ${at}`);
  const answer = await server.ask({ state: 'x', questions: { team: { type: 'choice', criteria } } });
  t.strictSame(answer, JSON.parse(block('docs/errors.md', 'json')));
});

test('docs/models.md: the manifest is valid', async (t) => {
  const models = join(t.testdir(), 'models');
  mkdirSync(models);
  writeFileSync(
    join(models, 'manifest.json'),
    block('docs/models.md', 'json').replaceAll('…', 'a'.repeat(64)),
  );
  t.equal((await readManifest(models)).default, 'decider-g-12b');
});

test('docs/configuration.md: the file sets what the text says', async (t) => {
  const file = join(t.testdir({ 'decider.json': block('docs/configuration.md', 'json') }), 'decider.json');
  const settings = loadSettings({}, file);
  t.match(settings, { port: 8090, engine: { threads: 4 } });
});
