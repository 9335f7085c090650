import type { OperatorLane, OperatorLive } from '../../../api/index.js';
import { showInstant } from '../../../base/index.js';
import type { Engines } from '../../engines.js';
import { nameOfDevice, nameOfMemory } from '../status.js';
import type { Activity } from './activity.js';

/** What the state of the server is read from. */
interface LiveParts {
  readonly engines: Engines;
  readonly activity: Activity;
  /** Batches that have not finished, by state. */
  readonly openBatches: Readonly<Record<string, number>>;
  /** Why requests cannot be answered. */
  readonly unreadyReasons: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly uptimeMs: number;
}

/** What the server does now. */
export function showLive(parts: LiveParts): OperatorLive {
  const { engines, activity, openBatches, unreadyReasons: reasons, now, uptimeMs } = parts;
  const sample = activity.read();
  return {
    time: showInstant(now),
    uptime_seconds: Math.round(uptimeMs / 1_000),
    ready: reasons.length === 0,
    reasons,
    ...sample,
    resident_bytes: process.memoryUsage.rss(),
    devices: engines.memory().map(({ device, free, total }) => ({
      device: nameOfMemory(device),
      memory: { used_bytes: total - free, free_bytes: free, total_bytes: total },
    })),
    models: engines.catalog.builds.map(({ id }) => modelOf(id, engines)),
    batches: openBatches,
  };
}

function modelOf(id: string, engines: Engines): OperatorLive['models'][number] {
  const engine = engines.get(id);
  if (engine === undefined) return { id, loaded: false, queue: { live: 0, batch: 0 }, lanes: [] };
  const lanes = engine.lanes.map(
    (lane): OperatorLane => ({
      ...lane,
      device: nameOfDevice(engines.deviceOf(lane.number)),
      waves: engines.waves.of(lane.number),
    }),
  );
  const queue = { live: engine.waiting('live'), batch: engine.waiting('batch') };
  return { id, loaded: true, queue, lanes };
}
