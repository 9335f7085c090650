import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { most } from '../loop/memory.js';
import type { WatchedServer } from '../loop/server.js';
import { Pace, quantile } from '../report.js';
import { Client } from './client.js';

/** One submission and its lower bounds, in milliseconds. */
export interface SubmitRound {
  readonly ours: number;
  /** One JSON.parse of the file as an array of its lines. */
  readonly parse: number;
  /** One write of the file's size, synced to disk. */
  readonly write: number;
}

export interface Submitted {
  readonly rounds: readonly SubmitRound[];
  /** The time of a submission divided by that of parsing and writing the file: the median over the rounds. */
  readonly ratio: number;
  /** The longest delay of the server's event loop, in milliseconds. */
  readonly pauseMs: number;
  /** The largest growth of the server's own memory, in the first submission and in all, in multiples of the body. */
  readonly bodies: { readonly first: number; readonly all: number; readonly mapped: number };
}

/** Submits a file repeatedly; every batch is cancelled once it is acknowledged. */
export async function measureSubmit(
  server: WatchedServer,
  file: Buffer,
  rounds: number,
  pace = new Pace({ cases: 1 }),
): Promise<Submitted> {
  const client = await Client.open(server);
  const array = Buffer.from(`[${file.toString().trimEnd().replaceAll('\n', ',')}]`);
  const measured: SubmitRound[] = [];
  let pauseMs = 0;
  const idle = (await server.delay()).memory;
  // Not timed: a warm server has compiled its code.
  await client.cancel((await client.submit(file)).id);
  const first = (await server.delay()).memory;
  let peak = first;
  for (const _ of pace.rounds('submit', rounds)) {
    await server.delay();
    let started = performance.now();
    const { id } = await client.submit(file);
    const ours = performance.now() - started;
    const { max, memory } = await server.delay();
    await client.cancel(id);
    started = performance.now();
    JSON.parse(array.toString());
    measured.push({ ours, parse: performance.now() - started, write: writeMs(file) });
    pauseMs = Math.max(pauseMs, max);
    peak = most(peak, memory);
  }
  client.close();
  const ratio = quantile(
    measured.map(({ ours, parse, write }) => ours / (parse + write)),
    0.5,
  );
  return {
    rounds: measured,
    ratio,
    pauseMs,
    bodies: {
      first: (first.own - idle.own) / file.length,
      all: (peak.own - idle.own) / file.length,
      mapped: (peak.mapped - idle.mapped) / file.length,
    },
  };
}

/** In the temporary folder, which also has the server's data folder. */
function writeMs(bytes: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
  const started = performance.now();
  const file = openSync(join(folder, 'file'), 'w');
  writeSync(file, bytes);
  fdatasyncSync(file);
  closeSync(file);
  const ms = performance.now() - started;
  rmSync(folder, { recursive: true });
  return ms;
}
