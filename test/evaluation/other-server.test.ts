import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Test, test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { random } from '../../src/base/index.js';
import { run } from '../support/cli.js';
import { writeCases } from '../support/evaluation/cases.js';
import { scaled } from '../support/scale.js';
import { ROOT } from '../support/sources.js';

// Plain JavaScript that is not compiled.
const PEER = join(ROOT, 'test/support/evaluation/peer-server.mjs');
const CASES = scaled({ short: 12, long: 200 });

const installed = existsSync(join(ROOT, 'native/llama/node_modules/node-llama-cpp'));
const skip = installed
  ? false
  : 'NODE-LLAMA-CPP IS NOT INSTALLED: eval against another server was NOT tested';
if (!installed) process.stderr.write(`\n*** ${skip} ***\n\n`);

async function startPeer(t: Test, model: string): Promise<string> {
  const child = spawn(process.execPath, [PEER, model], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => void child.kill('SIGKILL'));
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return url as string;
}

test('decider eval measures a server that is not ours', { skip }, async (t) => {
  const folder = t.testdir({});
  const model = join(folder, 'peer.gguf');
  writeTinyModel(model, {});
  const url = await startPeer(t, model);
  const cases = join(folder, 'cases.jsonl');
  writeCases(cases, random(1), CASES);
  const json = join(folder, 'report.json');
  const files = ['--archive', join(folder, 'archive'), '--json', json];
  const { code, stderr } = await run(t, ['eval', cases, '--url', url, '--resamples', '50', ...files]);
  t.equal(code, 0, stderr);
  t.match(JSON.parse(readFileSync(json, 'utf8')), {
    target: { kind: 'server', url: `${url}/v1/systemone` },
    models: ['peer.gguf'],
    answered: CASES,
    failures: [],
    committed: 0,
    overall: { n: 3 * CASES, accuracy: Number, brier: Number, log_loss: Number, ece: Number },
    by_type: { noul: { n: CASES }, choice: { n: CASES }, score: { n: CASES } },
    cost: null,
  });
});
