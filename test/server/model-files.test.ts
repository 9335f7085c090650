import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { writeTinyModel, writeTinyProjector } from '../../models/tiny/index.js';
import { decider } from '../support/cli.js';
import { png, RGB } from '../support/images/png.js';
import { modelsFolder, startTestServer } from '../support/server.js';

/** The same answer to the last digit, whatever was asked before. */
const EXACT = { DECIDER_ENGINE_EXACT: 'true' };
const SIDE = { width: 280, height: 280 };
const TEXT = {
  state: 'A card was charged twice.',
  questions: { q: { type: 'choice', criteria: ['a', 'b', 'c'] } },
};

/** A text, and an image that no request before has shown: nothing of them is held. */
const bodies = (round: number) => [
  { ...TEXT, state: `${TEXT.state} ${round}` },
  {
    ...TEXT,
    state: 'See #1.',
    assets: {
      '#1': {
        format: 'png',
        data_base64: png({ ...SIDE, samples: { ...RGB, pixel: [round * 30, 10, 20] } }).toString('base64'),
      },
    },
  },
];

/** What befalls the files of a server that runs. */
const ACCIDENTS: Readonly<Record<string, (path: string) => void>> = {
  'overwritten in place': (path) => {
    const file = openSync(path, 'r+');
    const noise = Buffer.alloc(statSync(path).size, 0xa5);
    writeSync(file, noise, 0, noise.length, 0);
    closeSync(file);
  },
  'replaced by another model': (path) => {
    const other = `${path}.new`;
    if (path.includes('projector')) writeTinyProjector(other, { kind: 'gemma4uv', seed: 2 });
    else writeTinyModel(other, { seed: 2 });
    renameSync(other, path);
  },
  'cut short': (path) => truncateSync(path, 4_096),
  deleted: (path) => rmSync(path),
};

const filesOf = (models: string) =>
  readdirSync(models)
    .filter((file) => file.endsWith('.gguf'))
    .map((file) => join(models, file));

test('model files that change while a server runs: the answers stay the same, also those of replaced threads', async (t) => {
  const models = modelsFolder(t.testdir(), {}, {}, 'gemma4uv');
  const fresh = await startTestServer(t, EXACT, models);
  const asked = Object.keys(ACCIDENTS).map((_, round) => [bodies(2 * round), bodies(2 * round + 1)]);
  const expected = await Promise.all(
    asked.map((pair) => Promise.all(pair.map((each) => answersOf(fresh, each)))),
  );
  // Weights are shared in the process, and those of the second server are to be its own.
  await fresh.stop();
  const server = await startTestServer(t, EXACT, models);
  rmSync(join(models, 'manifest.json'));
  for (const [round, [accident, befall]] of Object.entries(ACCIDENTS).entries()) {
    for (const path of filesOf(models)) befall(path);
    const [before, after] = asked[round] as [object[], object[]];
    t.strictSame(await answersOf(server, before), expected[round]?.[0], accident);
    for (const worker of server.engines.workers) await worker.terminate();
    t.strictSame(await answersOf(server, after), expected[round]?.[1], `${accident}, from a new thread`);
  }
});

async function answersOf(server: Awaited<ReturnType<typeof startTestServer>>, asked: readonly unknown[]) {
  const answers = [];
  for (const body of asked) answers.push(await server.ask(body));
  for (const answer of answers) if (answer.answers === undefined) throw new Error(JSON.stringify(answer));
  return answers;
}

/** Asks a server in a process of its own, which a signal of the operating system would end. */
async function askOverHttp(url: string, token: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function serve(t: Test, models: string) {
  const command = decider(t, ['serve'], {
    DECIDER_MODELS: models,
    DECIDER_PORT: '0',
    DECIDER_LOG_LEVEL: 'error',
  });
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = (await command.line(/^token: /)).slice('token: '.length);
  return { command, ask: (body: unknown) => askOverHttp(url, token, body) };
}

test('a model file that is truncated while a server runs does not end the server', async (t) => {
  const models = modelsFolder(t.testdir());
  const { command, ask } = await serve(t, models);
  for (const path of filesOf(models)) truncateSync(path, 0);
  for (let round = 0; round < 3; round++) t.match(await ask(bodies(round)[0]), { status: 200 });
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 0);
});

test('a model file that changes while it is loaded is refused', async (t) => {
  const models = modelsFolder(t.testdir());
  const [path] = filesOf(models) as [string];
  // Between its check and the end of its loading, which tells its progress.
  const progress = () => {
    const { atime } = statSync(path);
    utimesSync(path, atime, new Date(0));
  };
  await t.rejects(
    startTestServer(t, {}, models, { report: { notice: () => {}, token: () => {}, progress } }),
    {
      name: 'ModelError',
      message: /tiny\.gguf: it changed while it was being loaded/,
    },
  );
});
