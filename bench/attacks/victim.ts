import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../report.js';
import type { Target } from './target.js';

const PAUSE_MS = 20;
/** A request that takes longer has failed. */
const PATIENCE_MS = 10_000;
const BODY = JSON.stringify({
  state: 'The parcel has not arrived.',
  questions: { angry: { type: 'noul', instructions: 'Is the customer angry?' } },
});

/** What another caller notices for some time. */
export interface Noticed {
  /** Of requests that were answered 200, in milliseconds. */
  readonly median: number;
  readonly p99: number;
  /** Requests that were not, of all. */
  readonly failed: number;
  readonly all: number;
}

/** Sends live requests in turn for `ms` milliseconds. */
export async function notice({ port, victim }: Target, ms: number): Promise<Noticed> {
  const times: number[] = [];
  let failed = 0;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const begun = performance.now();
    if ((await ask(port, victim)) === 200) times.push(performance.now() - begun);
    else failed += 1;
    await sleep(PAUSE_MS);
  }
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99), failed, all: times.length + failed };
}

async function ask(port: number, token: string): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/decide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: BODY,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
