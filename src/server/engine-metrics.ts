import { type Engine, type EngineEvents, LANE_STATES } from '../engine/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { WaveHistory } from './operator/api/wave-history.js';

/**
 * Counts the events of a build's engine, and logs which of its threads fail. Counters start at 0, so that Prometheus
 * sees their first increase.
 *
 * @param onStuck called when a thread will never work again
 */
export function engineEvents(
  { instruments }: Metrics,
  build: string,
  log: Log,
  onStuck: (reason: string) => void,
  waves: WaveHistory,
): EngineEvents {
  const model = { model: build };
  const { plansRefused, plansCancelled, plansLate, wavesLost } = instruments;
  const { waveTokens, waveSeconds, waveFill, prefixes } = instruments;
  for (const counter of [plansRefused, plansCancelled, plansLate, wavesLost]) counter.inc(model, 0);
  for (const outcome of ['hit', 'miss']) prefixes.inc({ ...model, outcome }, 0);
  return {
    waveDone({ lane, tokens, fill, ms, prefixes: { hits, misses } }) {
      waves.add(lane, { tokens, fill, ms });
      waveTokens.observe(model, tokens);
      waveSeconds.observe({ ...model, lane }, ms / 1_000);
      waveFill.observe({ ...model, lane }, fill);
      prefixes.inc({ ...model, outcome: 'hit' }, hits);
      prefixes.inc({ ...model, outcome: 'miss' }, misses);
    },
    waveLost: () => wavesLost.inc(model),
    laneChanged: (lane, state, reason) => {
      const fields = { model: build, lane, state };
      if (reason !== null) log.error({ ...fields, err: reason }, 'an engine thread has failed');
      else if (state !== 'closed') log.info(fields, 'an engine thread has changed its state');
      if (state === 'closed') waves.forget(lane);
      if (state === 'stuck') onStuck(`${build}: ${(reason as Error).message}`);
    },
    planRefused: () => plansRefused.inc(model),
    planCancelled: () => plansCancelled.inc(model),
    planLate: () => plansLate.inc(model),
  };
}

/** Reads the queue lengths and the lanes of an engine at every scrape. */
export function measureEngine(metrics: Metrics, build: string, engine: Engine): void {
  metrics.beforeScrape(() => {
    for (const urgency of ['live', 'batch'] as const) {
      metrics.instruments.waiting.set({ model: build, urgency }, engine.waiting(urgency));
    }
    for (const { number: lane, state } of engine.lanes) {
      for (const each of LANE_STATES) {
        metrics.instruments.laneState.set({ model: build, lane, state: each }, each === state ? 1 : 0);
      }
    }
    const { workingLanes, laneCount } = engine;
    metrics.instruments.lanes.set({ model: build, state: 'working' }, workingLanes);
    metrics.instruments.lanes.set({ model: build, state: 'failed' }, laneCount - workingLanes);
  });
}
