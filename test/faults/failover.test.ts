// A failover of the database while live requests and batches share one workspace, and an exact comparison afterwards.
import { test } from 'tap';
import { Endings } from '../support/owner.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';
import { seedFromEnvironment } from '../support/random.js';
import { LONG } from '../support/scale.js';
import { runCampaign } from './random/campaign.js';
import { ClusterWorld } from './random/cluster-world.js';
import { failoverName } from './random/database-faults.js';

const GAPS_MS = [1_000, 10_000];
const KINDS = ['synchronous', 'asynchronous'] as const;
const FAILOVERS = KINDS.flatMap((kind) => GAPS_MS.map((gap) => failoverName(kind, gap)));
/** Each takes most of a minute; `storage/database/failover` has smaller ones. */
const AT_FULL_SCALE = LONG ? NEEDS_POSTGRES : { skip: 'only at full scale (SCALE=long)' };

for (const name of FAILOVERS) {
  test(`${name}, under live and batch load in one workspace`, AT_FULL_SCALE, async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const owner = new Endings();
    t.teardown(() => owner.end());
    const start = (own: Endings) => ClusterWorld.start(own);
    const result = await runCampaign({ seed, workspaces: ['one'], faults: [name], start }, owner);
    t.comment([...result.outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', '));
    for (const violation of result.violations) t.fail(violation);
    t.ok((result.outcomes.get('live 200') ?? 0) > 0);
    t.ok((result.outcomes.get('submit 200') ?? 0) > 0);
  });
}
