// Part 3: a whole server under load, and what it does when callers leave or memory is missing.
import { join } from 'node:path';
import { systemClock } from '../../../src/base/index.js';
import { generatedRequests, HttpTarget } from '../../../src/load/index.js';
import { measureAborts } from './abort-requests.js';
import { type LoopResult, runCallers } from './closed-loop.js';
import { compileSteps } from './compile-here.js';
import { type RunningServer, startServer } from './decider-server.js';
import { compareAnswers } from './exact-answers.js';
import { imageRequests } from './image-requests.js';
import { type Kit, readJson } from './kit.js';
import { makeModel, modelFolder } from './models.js';
import { exhaustMemory } from './out-of-memory.js';
import type { Step, StepContext } from './steps.js';

interface Sizes {
  readonly callers: readonly number[];
  /** Of each number of callers. */
  readonly ms: number;
  readonly warmUpMs: number;
  /** Of each rate of `decider load`. */
  readonly seconds: number;
  readonly imageCallers: number;
  /** Requests that are sent several times in exact mode. */
  readonly exact: number;
}

const SIZES: Readonly<Record<Kit['backend'], Sizes>> = {
  cuda: { callers: [1, 8, 64], ms: 8_000, warmUpMs: 2_000, seconds: 8, imageCallers: 8, exact: 32 },
  cpu: { callers: [1, 4], ms: 2_000, warmUpMs: 500, seconds: 1, imageCallers: 1, exact: 2 },
};

/** Rates of `decider load`, as parts of the highest rate that callers reached. */
const LOAD_PARTS = [0.5, 0.8];
const SEED = 1;

export function part3(kit: Kit): Step[] {
  const onServer = (name: string, settings: Record<string, string>, also: readonly Measurement[]): Step => ({
    name,
    limit: 200,
    async run(context) {
      await makeModel(kit, 'full', context.stop);
      const server = await startServer(kit, modelFolder(kit, 'full'), settings, context.stop);
      const found: Record<string, unknown> = { start_ms: server.startMs };
      try {
        for (const measure of [callers, ...also]) {
          const { label, result } = await measure(kit, server, found, context);
          found[label] = result;
          context.keep(found);
        }
        return found;
      } finally {
        await server.close();
      }
    },
  });
  return [
    ...compileSteps(kit),
    { name: 'make the model', limit: 150, run: ({ stop }) => makeModel(kit, 'full', stop) },
    onServer('server, two contexts', { DECIDER_ENGINE_CONTEXTS: '2' }, [openLoop, images, aborts]),
    onServer('server, one context', { DECIDER_ENGINE_CONTEXTS: '1' }, []),
    onServer('server, exact, two contexts', EXACT, [equalAnswers]),
    {
      name: 'causal and non-causal decodes',
      limit: 60,
      async run({ stop }) {
        const { file } = await makeModel(kit, 'full', stop);
        const args = [file, kit.backend];
        return JSON.parse(await kit.script('dist/bench/gpu/run/time-changes-process.js', args, { stop }));
      },
    },
    { name: 'out of memory', limit: 90, run: (context) => exhaustMemory(kit, context) },
  ];
}

const EXACT = {
  DECIDER_ENGINE_CONTEXTS: '2',
  DECIDER_ENGINE_EXACT: 'true',
  DECIDER_ENGINE_ANSWER_CACHE_MB: '0',
};

type Measurement = (
  kit: Kit,
  server: RunningServer,
  found: Readonly<Record<string, unknown>>,
  context: StepContext,
) => Promise<{ label: string; result: unknown }>;

/** The mix of requests of `decider load`, from so many callers at once. */
const callers: Measurement = async (kit, { target }, _, { stop }) => {
  const { callers: numbers, ms, warmUpMs } = SIZES[kit.backend];
  const result: LoopResult[] = [];
  for (const number of numbers) {
    const requests = generatedRequests(SEED + number, 'mix');
    result.push(
      await runCallers(target.send, requests, { callers: number, ms, warmUpMs, stop, clock: systemClock }),
    );
  }
  return { label: 'callers', result };
};

/** `decider load` at rates that the server can take. */
const openLoop: Measurement = async (kit, { url, token }, found, { stop }) => {
  const most = Math.max(...(found.callers as LoopResult[]).map((each) => each.requests_per_second));
  const rates = LOAD_PARTS.map((part) => Math.max(0.2, most * part).toFixed(1)).join();
  const json = join(kit.folder('results'), `load-${process.hrtime.bigint()}.json`);
  const { seconds } = SIZES[kit.backend];
  const options = ['--rates', rates, '--seconds', String(seconds), '--warm-up', '1', '--json', json];
  await kit.decider(['load', url, ...options], { variables: { DECIDER_TOKEN: token }, stop });
  return { label: 'load', result: readJson(json) };
};

const images: Measurement = async (kit, { url, token }, _, { stop }) => {
  const { ms, warmUpMs, imageCallers } = SIZES[kit.backend];
  const target = new HttpTarget(new URL('/v1/decide', url), token, imageCallers);
  try {
    const options = { callers: imageCallers, ms, warmUpMs, stop, clock: systemClock };
    return { label: 'images', result: await runCallers(target.send, await imageRequests(), options) };
  } finally {
    await target.close();
  }
};

const aborts: Measurement = async (_kit, { target }, _, { stop }) => ({
  label: 'aborted requests',
  result: await measureAborts(target, stop),
});

const equalAnswers: Measurement = async (kit, { target }, _, { stop }) => ({
  label: 'equal answers',
  result: await compareAnswers(target, SIZES[kit.backend].exact, stop),
});
