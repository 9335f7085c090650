import type { Metrics } from '../base/index.js';
import type { Engine, EngineEvents } from '../engine/index.js';

/** Counts the events of a build's engine. Counters start at 0, so that Prometheus sees their first increase. */
export function engineEvents({ instruments }: Metrics, build: string): EngineEvents {
  const model = { model: build };
  const { plansRefused, plansCancelled, plansLate, wavesLost, waveTokens } = instruments;
  for (const counter of [plansRefused, plansCancelled, plansLate, wavesLost]) counter.inc(model, 0);
  return {
    waveDone: (tokens) => waveTokens.observe(model, tokens),
    waveLost: () => wavesLost.inc(model),
    planRefused: () => plansRefused.inc(model),
    planCancelled: () => plansCancelled.inc(model),
    planLate: () => plansLate.inc(model),
  };
}

/** Reads the queue lengths of an engine at every scrape. */
export function measureQueues(metrics: Metrics, build: string, engine: Engine): void {
  metrics.beforeScrape(() => {
    for (const urgency of ['live', 'batch'] as const) {
      metrics.instruments.waiting.set({ model: build, urgency }, engine.waiting(urgency));
    }
  });
}
