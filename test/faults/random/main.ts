// Random faults under load, and an exact comparison at the end (`npm run faults`; see test/README.md).
import { parseArgs } from 'node:util';
import { Endings } from '../../support/owner.js';
import { runCampaign } from './campaign.js';
import { ClusterWorld } from './cluster-world.js';
import { FolderWorld } from './folder-world.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    store: { type: 'string', default: 'database' },
    /** Names of faults, separated by commas; all if absent. */
    faults: { type: 'string' },
  },
});
const WORLDS = { database: ClusterWorld, folder: FolderWorld } as const;
if (!Object.hasOwn(WORLDS, values.store)) throw new Error('--store must be database or folder');
const world = WORLDS[values.store as keyof typeof WORLDS];
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed}`);
const owner = new Endings();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void owner.end().then(() => process.exit(1)));
const counts = (all: ReadonlyMap<string, number>) =>
  [...all]
    .map(([name, count]) => `${name}: ${count}`)
    .sort()
    .join(', ');
try {
  const { violations, faults, outcomes } = await runCampaign(
    {
      seed,
      workspaces: ['one', 'two', 'three'],
      faults: { ms: Number(values.minutes) * 60_000, names: values.faults?.split(',') ?? null },
      start: (own) => world.start(own),
    },
    owner,
  );
  console.log(`faults: ${counts(faults)}`);
  console.log(`outcomes: ${counts(outcomes)}`);
  for (const violation of violations) console.log(`violation: ${violation}`);
  console.log(`${violations.length} violations, seed ${seed}`);
  process.exitCode = violations.length > 0 ? 1 : 0;
} finally {
  await owner.end();
}
process.exit();
