import { systemClock, usableCores } from '../../src/base/index.js';
import {
  COUPLED_PRODUCT_MAX,
  Engine,
  EngineThread,
  EXACT,
  loadAddon,
  type Plan,
  type Sharing,
  UNWATCHED,
} from '../../src/engine/index.js';
import { mediumModel } from '../engine/models.js';
import { buildOf } from '../engine/ours.js';
import { CPU_BOUNDS, openInProcess } from '../in-process.js';
import { quantile, showNumber, table } from '../report.js';
import type { Measured, PartOptions } from './part.js';
import { questionsAbout } from './plans.js';

const ROUNDS = 3;
const STATE_TOKENS = 1_000;
const QUESTIONS = 400;
/** Questions of a request of the contract. */
const USUAL_QUESTIONS = 16;
const DEADLINE_MS = 3_600_000;

/** The same 400 questions about a state, as one request and as 25, in turn; in exact mode and in normal mode. */
export async function measureQuestions({ model, pace }: PartOptions): Promise<Measured> {
  const file = model ?? mediumModel('q8_0', loadAddon('cpu').addon);
  const { head, labels, summary, close } = openInProcess(file, {}, CPU_BOUNDS);
  close();
  const threads = Math.max(1, usableCores() - 1);
  const modes: Array<readonly [name: string, sharing: Sharing]> = [
    ['exact', EXACT],
    ['normal', { head, idleCellsMax: 0, exact: false, coupledProductMax: COUPLED_PRODUCT_MAX }],
  ];
  const cases = [];
  for (const [mode, sharing] of modes) {
    const opened = await open(file, sharing, threads);
    const runs = { one: [] as Run[], many: [] as Run[] };
    for (const round of pace.rounds(mode, ROUNDS)) {
      const whole = questionsAbout(head, labels, STATE_TOKENS, QUESTIONS, round);
      const parts = Array.from({ length: QUESTIONS / USUAL_QUESTIONS }, (_, part): Plan => {
        const first = part * USUAL_QUESTIONS;
        return { ...whole, suffixes: whole.suffixes.slice(first, first + USUAL_QUESTIONS) };
      });
      runs.one.push(await opened.answer([whole]));
      runs.many.push(await opened.answer(parts));
    }
    await opened.close();
    for (const [requests, found] of [
      [1, runs.one],
      [QUESTIONS / USUAL_QUESTIONS, runs.many],
    ] as const)
      cases.push({
        mode,
        requests,
        questions: QUESTIONS,
        tokens: quantile(
          found.map(({ tokens }) => tokens),
          0.5,
        ),
        ms: quantile(
          found.map(({ ms }) => ms),
          0.5,
        ),
      });
  }
  return {
    title: `${summary}; ${QUESTIONS} questions about a state of ${STATE_TOKENS} tokens, ${threads} threads`,
    shown: table(
      ['mode', 'requests', 'tokens computed', 'ms'],
      cases.map(({ mode, requests, tokens, ms }) => [mode, String(requests), String(tokens), showNumber(ms)]),
    ),
    cases,
  };
}

interface Run {
  readonly ms: number;
  /** As the engine's metric counts them. */
  readonly tokens: number;
}

async function open(path: string, sharing: Sharing, threads: number) {
  const build = buildOf(path);
  const thread = new EngineThread({
    ...{ backend: 'cpu', device: '', build, bounds: CPU_BOUNDS, threads, number: 1 },
  });
  await thread.ready();
  let tokens = 0;
  const engine = new Engine([thread], {
    bounds: CPU_BOUNDS,
    sharing,
    queueMax: QUESTIONS,
    deadlineMs: DEADLINE_MS,
    clock: systemClock,
    events: {
      ...UNWATCHED,
      waveDone: (wave) => {
        tokens += wave.tokens;
      },
    },
  });
  return {
    async answer(plans: readonly Plan[]): Promise<Run> {
      tokens = 0;
      const start = performance.now();
      await Promise.all(plans.map((plan) => engine.run(plan, { signal: new AbortController().signal })));
      return { ms: performance.now() - start, tokens };
    },
    async close() {
      engine.close();
      await thread.close();
    },
  };
}
