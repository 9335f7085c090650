import { test } from 'tap';
import { Endings } from '../../support/owner.js';
import { NEEDS_POSTGRES } from '../../support/postgres.js';
import { seedFromEnvironment } from '../../support/random.js';
import { LONG } from '../../support/scale.js';
import { runCampaign } from './campaign.js';
import { ClusterWorld } from './cluster-world.js';

const MS = 20_000;
/** A run takes a minute: sessions of nodes that were killed must expire. */
const AT_FULL_SCALE = LONG ? NEEDS_POSTGRES : { skip: 'only at full scale (SCALE=long)' };

test('three nodes under random faults', AT_FULL_SCALE, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const owner = new Endings();
  t.teardown(() => owner.end());
  const start = (own: Endings) => ClusterWorld.start(own);
  const result = await runCampaign(
    { seed, workspaces: ['one', 'two'], faults: { ms: MS, names: null }, start },
    owner,
  );
  t.comment([...result.faults].join(' '), [...result.outcomes].join(' '));
  for (const violation of result.violations) t.fail(violation);
  t.equal(result.violations.length, 0);
});
