import { type Clock, VERSION } from '../../base/index.js';
import type { Metrics } from '../../telemetry/index.js';
import type { Service } from '../service.js';
import { LoopDelay } from './loop-delay.js';
import { nameOfMemory } from './status.js';

const PERCENTILES = [50, 99, 100];

/** Measures the process and its devices at every scrape, until the returned function is called. */
export function measureHost(metrics: Metrics, service: Service, clock: Pick<Clock, 'now'>): () => void {
  const { processMemory, deviceMemory, loopDelay, ready, startTime, info } = metrics.instruments;
  startTime.set(clock.now() / 1_000);
  info.set({ version: VERSION, backend: service.engines.backend }, 1);
  const delays = new LoopDelay();
  metrics.beforeScrape(() => {
    ready.set(service.unreadyReasons().length === 0 ? 1 : 0);
    const { rss, heapUsed, external } = process.memoryUsage();
    for (const [kind, bytes] of Object.entries({ resident: rss, heap: heapUsed, external })) {
      processMemory.set({ kind }, bytes);
    }
    for (const { device, free, total } of service.engines.memory()) {
      const name = nameOfMemory(device);
      deviceMemory.set({ device: name, state: 'used' }, total - free);
      deviceMemory.set({ device: name, state: 'free' }, free);
    }
    for (const percentile of PERCENTILES) loopDelay.set({ percentile }, delays.ms(percentile / 100) / 1_000);
    delays.reset();
  });
  return () => delays.stop();
}
