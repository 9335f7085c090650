import { forgetAbort, readAbort, WaveRecord } from '../engine/index.js';
import type { Storage } from '../storage/index.js';
import type { Log } from '../telemetry/index.js';

/** Starts the record of what engine threads compute. If an abort ended the last process, it is logged and counted. */
export async function startRecord(
  folder: string,
  storage: Pick<Storage, 'countAbort'>,
  log: Log,
): Promise<WaveRecord> {
  const abort = readAbort(folder);
  if (abort !== null) {
    try {
      const lines = await storage.countAbort(abort);
      log.error({ reason: abort.reason, lines }, 'the engine ended the last process');
      forgetAbort(folder);
    } catch (error) {
      log.error({ err: error, reason: abort.reason }, 'an abort of the last process could not be counted');
    }
  }
  return new WaveRecord(folder);
}
