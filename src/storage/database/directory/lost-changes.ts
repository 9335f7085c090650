import type { Log } from '../../../telemetry/index.js';
import type { LostChanges } from './copy.js';

/** Ids in a log line. */
const IDS_MAX = 20;

/** Logs that the database lacks administrative changes, and which keys were revoked by them. */
export function logLostChanges(log: Log, { unrevoked, missing }: LostChanges): void {
  log.error(
    { unrevoked: unrevoked.slice(0, IDS_MAX), missing: missing.slice(0, IDS_MAX) },
    'the database lacks administrative changes that it had before, as after a failover; make them again, first the revocations',
  );
}
