import { type EngineEvents, isCancelled, LANE_STATES } from '../engine/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { LoadedBuild } from './models/loaded-build.js';
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
  const { inputTokens, answers } = instruments;
  const { waveTokens, waveSeconds, waveFill, prefixes, answersShared, answersEvicted } = instruments;
  for (const counter of [
    plansRefused,
    plansCancelled,
    plansLate,
    wavesLost,
    answersEvicted,
    inputTokens,
    answers,
  ])
    counter.inc(model, 0);
  for (const outcome of ['hit', 'miss']) {
    prefixes.inc({ ...model, outcome }, 0);
    answersShared.inc({ ...model, outcome }, 0);
  }
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
      const isFailure = reason !== null && !isCancelled(reason);
      if (isFailure) log.error({ ...fields, err: reason }, 'an engine thread has failed');
      else if (state !== 'closed') log.info(fields, 'an engine thread has changed its state');
      if (state === 'closed') waves.forget(lane);
      if (state === 'stuck') onStuck(`${build}: ${(reason as Error).message}`);
    },
    planRefused: () => plansRefused.inc(model),
    planCancelled: () => plansCancelled.inc(model),
    planLate: () => plansLate.inc(model),
    planAnswered: (outcome) => answersShared.inc({ ...model, outcome }),
    answerEvicted: () => answersEvicted.inc(model),
  };
}

/** Sets the queue lengths, the caches of answers and the lanes of all loaded builds; to be called at every scrape. */
export function measureEngines({ instruments }: Metrics, builds: Iterable<LoadedBuild>): void {
  const { waiting, laneState, lanes, answerBytes } = instruments;
  for (const gauge of [waiting, laneState, lanes, answerBytes]) gauge.reset();
  for (const { id: model, engine } of builds) {
    for (const urgency of ['live', 'batch'] as const) {
      // A build that is replaced by one of the same name has two engines for a while.
      waiting.inc({ model, urgency }, engine.waiting(urgency));
    }
    for (const { number: lane, state } of engine.lanes) {
      for (const each of LANE_STATES) laneState.set({ model, lane, state: each }, each === state ? 1 : 0);
    }
    answerBytes.inc({ model }, engine.answerBytes);
    const { workingLanes, laneCount } = engine;
    lanes.inc({ model, state: 'working' }, workingLanes);
    lanes.inc({ model, state: 'failed' }, laneCount - workingLanes);
  }
}
