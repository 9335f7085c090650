import { planCells } from '../../src/engine/wave/wave-types.js';
import type { Ours } from '../engine/ours.js';
import { untilQuiet } from '../engine/quiet.js';
import type { WatchedServer } from '../loop/server.js';
import { Pace, quantile } from '../report.js';
import { Client } from './client.js';
import { lineTexts, MODEL_LINES_MIN, textsFile } from './files.js';
import { MODEL } from './models.js';

/** Tokens per second of the same plans. */
export interface Throughput {
  readonly batches: number;
  readonly engine: number;
  readonly batch: number;
  /** The median of the rounds' ratios. */
  readonly ratio: number;
}

/**
 * Measures the engine alone, given all plans at once, and then a server that runs the same lines in the given number of
 * concurrent batches, from its first line to the end of the last batch. The server is idle while the engine is measured.
 */
export async function measureThroughput(
  server: WatchedServer,
  ours: Ours,
  { lines, batches, rounds }: { readonly lines: number; readonly batches: number; readonly rounds: number },
  pace = new Pace({ cases: 1 }),
): Promise<Throughput> {
  if (lines < MODEL_LINES_MIN * batches) throw new Error(`${lines} lines are too few for ${batches} batches`);
  const client = await Client.open(server);
  const found: Array<{ engine: number; batch: number }> = [];
  for (const round of pace.rounds(`tokens, ${batches} batches`, rounds)) {
    const texts = lineTexts(lines, `${batches} batches, round ${round}`);
    const plans = texts.map(ours.plan);
    const tokens = plans.reduce((sum, plan) => sum + planCells(plan), 0);
    const started = performance.now();
    await Promise.all(plans.map(ours.run));
    const engineMs = performance.now() - started;
    await untilQuiet();
    const size = Math.ceil(lines / batches);
    const files = Array.from({ length: batches }, (_, at) =>
      textsFile(MODEL, texts.slice(at * size, (at + 1) * size)),
    );
    const submitted = [];
    for (const file of files) submitted.push((await client.submit(file)).id);
    const shown = [];
    for (const id of submitted) shown.push(await client.finished(id));
    const begun = Math.min(...shown.map(({ started_at }) => Date.parse(started_at ?? '')));
    const ended = Math.max(...shown.map(({ finished_at }) => Date.parse(finished_at ?? '')));
    found.push({ engine: (tokens / engineMs) * 1_000, batch: (tokens / (ended - begun)) * 1_000 });
  }
  client.close();
  const middle = (of: (each: (typeof found)[number]) => number) => quantile(found.map(of), 0.5);
  return {
    batches,
    engine: middle(({ engine }) => engine),
    batch: middle(({ batch }) => batch),
    ratio: middle(({ engine, batch }) => batch / engine),
  };
}
