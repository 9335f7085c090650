import { usableCores } from '../../src/base/index.js';
import { loadAddon } from '../../src/engine/index.js';
import { mediumModel } from '../engine/models.js';
import { CPU_BOUNDS, openInProcess } from '../in-process.js';
import { quantile, showNumber, table } from '../report.js';
import { countDifferent, type Layout, openExact } from './engines.js';
import type { Measured, PartOptions } from './part.js';
import { randomPlans } from './plans.js';

const ROUNDS = 5;
/** Requests that an engine answers before the next engine takes its turn: the load of the machine changes. */
const PIECE = 16;
const CONTEXTS_MAX = 8;

/** What an engine has answered. */
interface Answered {
  /** By piece. */
  readonly rates: number[];
  cpuMs: number;
  otherBytes: number;
}

/** One context against several; all engines answer the same requests in turn. */
export async function measureContexts({ model, requests, pace }: PartOptions): Promise<Measured> {
  const file = model ?? mediumModel('q8_0', loadAddon('cpu').addon);
  const { head, labels, summary, close } = openInProcess(file, {}, CPU_BOUNDS);
  close();
  const layouts = layoutsOf(usableCores());
  const plans = randomPlans(head, labels, requests);
  const pieces = Array.from({ length: Math.ceil(requests / PIECE) }, (_, at) =>
    plans.slice(at * PIECE, (at + 1) * PIECE),
  );
  const engines = await Promise.all(layouts.map((layout) => openExact(file, layout)));
  const found = layouts.map((): Answered => ({ rates: [], cpuMs: 0, otherBytes: 0 }));
  const expected = new Map<number, Float32Array[][]>();
  let answered = 0;
  for (const _ of pace.rounds('contexts', ROUNDS)) {
    answered += requests;
    for (const [number, piece] of pieces.entries()) {
      for (const [at, engine] of engines.entries()) {
        const own = found[at] as Answered;
        const before = process.cpuUsage();
        const { ms, logits } = await engine.answer(piece, 'contexts');
        const { user, system } = process.cpuUsage(before);
        if (!expected.has(number)) expected.set(number, logits);
        own.rates.push((piece.length / ms) * 1_000);
        own.cpuMs += (user + system) / 1_000;
        own.otherBytes += countDifferent(expected.get(number) ?? [], logits);
      }
    }
  }
  await Promise.all(engines.map((engine) => engine.close()));
  const [first] = found as [Answered, ...Answered[]];
  const cases = layouts.map((layout, at) => {
    const { rates, cpuMs, otherBytes } = found[at] as Answered;
    const ratios = rates.map((rate, piece) => rate / (first.rates[piece] as number));
    return {
      ...layout,
      requests_per_second: quantile(rates, 0.5),
      ratio: quantile(ratios, 0.5),
      cpu_ms: cpuMs / answered,
      answered,
      other_bytes: otherBytes,
    };
  });
  return {
    title: `${summary}; exact mode, requests of 1 to 3 questions`,
    shown: table(
      ['contexts × threads', 'requests/s', 'ratio', 'CPU ms per request', 'other bytes'],
      cases.map(({ contexts, threads, requests_per_second, ratio, cpu_ms, other_bytes }) => [
        `${contexts} × ${threads}`,
        showNumber(requests_per_second),
        showNumber(ratio),
        showNumber(cpu_ms),
        `${other_bytes} of ${answered}`,
      ]),
    ),
    cases,
  };
}

/** The first is what the others are compared with. */
function layoutsOf(cores: number): Layout[] {
  return [
    { contexts: 1, threads: 1 },
    { contexts: 1, threads: cores },
    ...(cores > 2 ? [{ contexts: 2, threads: Math.floor(cores / 2) }] : []),
    { contexts: Math.min(CONTEXTS_MAX, cores), threads: 1 },
  ];
}
