import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, VERSION } from '../../base/index.js';
import type { Metrics } from '../../telemetry/index.js';
import type { Service } from '../service.js';

/** How often the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Measures the process and its devices at every scrape, until the returned function is called. */
export function measureHost(metrics: Metrics, service: Service, clock: Pick<Clock, 'now'>): () => void {
  const { processMemory, deviceMemory, loopDelay, ready, startTime, info } = metrics.instruments;
  startTime.set(clock.now() / 1_000);
  info.set({ version: VERSION, backend: service.engines.backend }, 1);
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  metrics.beforeScrape(() => {
    ready.set(service.unreadyReasons().length === 0 ? 1 : 0);
    const { rss, heapUsed, external } = process.memoryUsage();
    for (const [kind, bytes] of Object.entries({ resident: rss, heap: heapUsed, external })) {
      processMemory.set({ kind }, bytes);
    }
    for (const { device, free, total } of service.engines.memory()) {
      const name = device === '' ? 'RAM' : device;
      deviceMemory.set({ device: name, state: 'used' }, total - free);
      deviceMemory.set({ device: name, state: 'free' }, free);
    }
    for (const quantile of QUANTILES) {
      // What is measured is the time between two timers, in nanoseconds; without delay it is the resolution.
      const delayMs = Math.max(0, delays.percentile(quantile * 100) / 1e6 - RESOLUTION_MS);
      loopDelay.set({ quantile: String(quantile) }, delayMs / 1_000);
    }
    delays.reset();
  });
  return () => delays.disable();
}
