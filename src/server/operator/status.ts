import { VERSION } from '../../base/index.js';
import type { CatalogBuild, Engine } from '../../engine/index.js';
import { type Settings, showSettings } from '../../settings/index.js';
import type { Engines } from '../engines.js';
import type { ReloadState } from '../reload/reload-transitions.js';

// The engine names the CPU and its memory ''.

/** The name of a device as a memory. */
export const nameOfMemory = (device: string): string => device || 'RAM';

/** The name of a device that computes. */
export const nameOfDevice = (device: string): string => device || 'CPU';

/** The settings in use, and what a reload does. */
export interface ReloadStatus {
  readonly settings: Settings;
  readonly state: ReloadState;
}

/** What the service knows of its work. */
export interface ServiceStatus {
  readonly engines: Engines;
  /** Batches that have not finished, by state. */
  readonly openBatches: Readonly<Record<string, number>>;
  /** See `Storage.status`. */
  readonly store: object;
}

/** The JSON of `GET /status`. A lane's `wave` is in tokens, its `cells` are those of the KV cache. */
export function statusOf(
  { settings, state }: ReloadStatus,
  { engines, openBatches, store }: ServiceStatus,
  uptimeMs: number,
  reasons: readonly string[],
): object {
  return {
    version: VERSION,
    uptime_seconds: Math.round(uptimeMs / 1_000),
    ready: reasons.length === 0,
    reasons,
    process: { id: process.pid, node: process.versions.node, resident_bytes: process.memoryUsage.rss() },
    backend: engines.backend,
    devices: engines.memory().map(({ device, free: left, total }) => ({
      device: nameOfMemory(device),
      memory: { used_bytes: total - left, free_bytes: left, total_bytes: total },
    })),
    models: engines.catalog.builds.map((build) => modelOf(build, engines)),
    reload: {
      state,
      draining: engines.draining.map((build) => ({ id: build.id, ...workOf(build.engine, engines) })),
    },
    batches: openBatches,
    store,
    settings: showSettings(settings),
  };
}

function modelOf({ id }: CatalogBuild, engines: Engines): object {
  const engine = engines.get(id);
  if (engine === undefined) return { id, loaded: false };
  return { id, loaded: true, ...workOf(engine, engines) };
}

const workOf = (engine: Engine, engines: Engines) => ({
  queue: queueOf(engine),
  lanes: lanesOf(engine, engines),
});

const queueOf = (engine: Engine) => ({ live: engine.waiting('live'), batch: engine.waiting('batch') });

const lanesOf = (engine: Engine, engines: Engines) =>
  engine.lanes.map((lane) => ({ ...lane, device: nameOfDevice(engines.deviceOf(lane.number)) }));
