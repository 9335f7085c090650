import type { LoadResult, StepResult } from '../../../src/load/index.js';

/** A latency with a median, in ms. */
export const latency = (p50: number) => ({
  ...{ count: 400, mean: p50, p50, p90: p50 * 2, p95: p50 * 3, p99: p50 * 4 },
  ...{ p99_9: null, max: p50 * 5 },
});

/** A measured rate with a median latency. */
export const step = (rate: number, p50: number, own: Partial<StepResult> = {}): StepResult => ({
  rate,
  warm_up_seconds: 2,
  seconds: 20,
  ended: 'complete',
  answered: 400,
  failed: 0,
  answered_per_second: rate,
  decisions_per_second: rate * 2,
  input_tokens_per_second: rate * 220,
  latency_ms: latency(p50),
  latency_ms_by_shape: { short: latency(p50), one_state: latency(p50 * 7) },
  errors: [],
  waited_for_connection: 0,
  client: { busy: 0.12, cores: 0.1, loop_delay_p99_ms: 1, dispatch_delay_ms: latency(0.5) },
  warnings: [],
  ...own,
});

/** The result of a load. */
export const result = (steps: readonly StepResult[], own: Partial<LoadResult> = {}): LoadResult => ({
  url: 'http://decide.example/v1/systemone',
  server: { model: 'stub-20260101', lone_ms: 41 },
  client: { machine: 'a machine', version: '1.2.3', shares_machine: false },
  started_at: '2026-11-22T10:00:00.000Z',
  finished_at: '2026-11-22T10:02:00.000Z',
  load: { requests: 'mix', seed: 1, model: null, connections: 256, timeout_seconds: 30 },
  steps,
  find: null,
  interrupted: false,
  ...own,
});

/** The result of a search. */
export const FOUND: NonNullable<LoadResult['find']> = {
  ...{ percent: 95, share: 0.95, ms: 250 },
  ...{ rate: 17, failing: 17.5, steps: 8, ended: 'precision' },
};
