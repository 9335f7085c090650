import type { WatchedServer } from '../loop/server.js';
import { Pace, quantile } from '../report.js';
import { Client } from './client.js';
import { lineTexts, requestOf, textsFile } from './files.js';
import { MODEL } from './models.js';

/** The smallest model answers 100 lines a second. */
const BATCH_LINES_MIN = 500;

export interface LiveLatency {
  /** Medians in milliseconds. */
  readonly idle: number;
  readonly busy: number;
  /** Half the duration of a full wave. */
  readonly halfWave: number;
}

/** Live requests one after another: first on an idle server, then beside a batch that lasts at least as long. */
export async function measureLatency(
  server: WatchedServer,
  { requests, waveMs }: { readonly requests: number; readonly waveMs: number },
  pace = new Pace({ cases: 1 }),
): Promise<LiveLatency> {
  pace.begins('latency');
  const [live, batch] = [await Client.open(server), await Client.open(server)];
  const ask = async (round: string) => {
    pace.step(round);
    const times: number[] = [];
    for (const asked of lineTexts(requests, round)) {
      const started = performance.now();
      await live.decide(requestOf(asked));
      times.push(performance.now() - started);
    }
    return quantile(times, 0.5);
  };
  await ask('warm-up');
  const idle = await ask('idle');
  // Many times the number of lines that can be answered meanwhile, also where this process gets no processor for a while.
  const lines = Math.max(BATCH_LINES_MIN, requests * 20);
  const { id } = await batch.submit(textsFile(MODEL, lineTexts(lines, 'beside')));
  const busy = await ask('busy');
  const { counts } = await batch.show(id);
  if (counts.pending === 0) throw new Error('the batch ended before the live requests did');
  await batch.cancel(id);
  live.close();
  batch.close();
  return { idle, busy, halfWave: waveMs / 2 };
}
