import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Vocabulary, writeTinyModel } from '../../models/tiny/index.js';
import { TOKEN_CACHE_BYTES_MAX } from '../../src/engine/index.js';
import { Pace, quantile, type Times, timesOf } from '../report.js';
import { type Load, measureOnce } from './cost.js';
import type { TransportName } from './kinds.js';
import { largeVocabulary } from './large-vocabulary.js';
import { Server } from './server.js';
import { trafficBodies } from './traffic.js';

/** How a server prepares requests with a vocabulary of the size of Gemma's, and what they ask. */
export const LARGE_KINDS = {
  'no cache': 'whole, every text tokenized, questions that repeat',
  'new questions': 'whole with the cache of tokens, questions that are new in every request',
  'known questions': 'whole with the cache of tokens, questions that repeat',
} as const;
type LargeKind = keyof typeof LARGE_KINDS;

/** Processor time of a request in microseconds, and requests per second in the median round. */
interface LargeCost {
  readonly kind: LargeKind;
  readonly cpu: Times;
  readonly perSecond: number;
}

/** Writes a models folder with a tiny model that has a large vocabulary. The caller deletes the folder. */
function writeLargeModel(vocabulary: Vocabulary): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-large-'));
  const path = join(folder, 'large.gguf');
  writeTinyModel(path, { vocabulary, layers: 2, width: 64, type: 'f16' });
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const model = {
    ...{ id: 'large', description: 'large', release_date: null, reads_images: false, price_class: 'large' },
    builds: [{ date: '20260101', file: 'large.gguf', sha256 }],
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ default: 'large', models: [model] }));
  return folder;
}

/** The cost of requests with a large vocabulary, measured in turn. Every message is new, also in later rounds. */
export async function measureLarge(
  transport: TransportName,
  load: Pick<Load, 'count' | 'rounds' | 'connections'>,
  pace = new Pace({ cases: 1 }),
  vocabulary = largeVocabulary(),
): Promise<LargeCost[]> {
  const models = writeLargeModel(vocabulary);
  const start = (cacheBytes: number) => Server.start('whole', transport, '', { models, cacheBytes });
  const [plain, cached] = await Promise.all([start(0), start(TOKEN_CACHE_BYTES_MAX)]);
  const kinds = Object.keys(LARGE_KINDS) as LargeKind[];
  const measured = new Map<LargeKind, Array<{ cpu: number; ms: number }>>();
  const run = async (kind: LargeKind, round: number) => {
    // Each kind and round has its own messages.
    const seed = 1 + round * kinds.length + kinds.indexOf(kind);
    const bodies = trafficBodies(load.count, kind !== 'new questions', seed);
    return measureOnce(kind === 'no cache' ? plain : cached, { ...load, bodies, seconds: 0 });
  };
  try {
    // The first round warms up.
    for (const round of pace.rounds(`${transport}, large vocabulary`, load.rounds + 1, 2)) {
      for (const kind of kinds) {
        const found = await run(kind, round);
        if (round > 0) measured.set(kind, [...(measured.get(kind) ?? []), found]);
      }
    }
    const known = await Promise.all(
      [plain, cached].map(async (server) => (await server.spent()).knownTexts > 0),
    );
    if (known[0] || !known[1]) throw new Error('the servers do not use the cache of tokens as they should');
  } finally {
    await Promise.all([plain.stop(), cached.stop()]);
    rmSync(models, { recursive: true });
  }
  return [...measured].map(([kind, rounds]) => ({
    kind,
    cpu: timesOf(rounds.map(({ cpu }) => cpu)),
    perSecond:
      (load.count /
        quantile(
          rounds.map(({ ms }) => ms),
          0.5,
        )) *
      1_000,
  }));
}
