// The pages of lists are the same from a data folder and a database, and as a plain sort and filter has them.
import { isDeepStrictEqual } from 'node:util';
import { type Test, test } from 'tap';
import {
  type Administration,
  CHANGES,
  type KeyPage,
  type WorkspacePage,
} from '../../../../src/access/index.js';
import { KEY_SORTS, WORKSPACE_SORTS } from '../../../../src/api/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { ADMINISTRATIONS } from '../../../support/access/administrations.js';
import {
  compareRanks,
  everything,
  modelList,
  placeOf,
  type Ranked,
  workingKeys,
} from '../../../support/access/model-lists.js';
import { type Random, random as randomOf, seedFromEnvironment } from '../../../support/random.js';

const NAMES = [null, 'alpha', 'Alpha', 'ßeta', 'Äther', 'zeta', 'ÄTHER 2'];
const SEARCHES = [undefined, 'al', 'ä', 'w1', 'key_', 'nothing'];

/** Workspaces, some of them closed, and keys, some of them revoked or with an end. */
async function filled(office: Administration, seed: number): Promise<void> {
  const { integer, pick } = randomOf(seed);
  for (let at = 0; at < 12; at += 1) {
    await office.change(CHANGES.createWorkspace(`w${at}`, pick(NAMES)));
    await office.change(CHANGES.grantCredit(`w${at}`, BigInt(integer(5)) - 2n || 7n));
  }
  const keys: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    const terms = [`w${integer(9)}`, pick(['never', '1', '2', '30']), pick(NAMES)] as const;
    keys.push((await office.change(CHANGES.createKey(...terms))).key.id);
  }
  for (const key of keys) {
    const kind = integer(6);
    if (kind === 0) await office.change(CHANGES.revokeKey(key));
    if (kind === 1) await office.change(CHANGES.rollKey(key));
    if (kind === 2) await office.change(CHANGES.renameKey(key, pick(NAMES)));
  }
  for (const id of ['w1', 'w2']) await office.change(CHANGES.closeWorkspace(id));
  await office.change(CHANGES.reopenWorkspace('w2'));
  await office.change(CHANGES.changeWorkspace('w3', { name: 'renamed' }));
}

/** What a page must have. */
function expected(
  all: readonly Ranked[],
  { descending, after, offset, limit }: Pick<KeyPage, 'descending' | 'after' | 'offset' | 'limit'>,
  behind: Ranked | undefined,
) {
  const sign = descending ? -1 : 1;
  const isPassed = ({ ranks }: Ranked) => sign * compareRanks(ranks, (behind as Ranked).ranks) <= 0;
  const passed = after === undefined ? 0 : all.filter(isPassed).length;
  const from = Math.min(all.length, passed + offset);
  return [all.slice(from, from + limit).map(({ id }) => id), all.length, from];
}

/** A place of a list, of an entry or between two; of an empty list, one that any could have. */
function somewhere(all: readonly Ranked[], { integer, pick }: Random, empty: Ranked): Ranked {
  const { id, ranks } = all.length === 0 ? empty : pick(all);
  const near = pick([id, `${id}0`, id.slice(0, integer(id.length) + 1)]);
  return { id: near, ranks: [...ranks.slice(0, -1), near] };
}

for (const { name, options, open } of ADMINISTRATIONS) {
  test(`${name}: pages of workspaces and keys in every order`, options, async (t: Test) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const world = await open(t);
    const office = world.as('x');
    await filled(office, seed);
    const now = systemClock.now();
    const all = await everything(office);
    const parts = [
      { offset: 0, limit: Number.POSITIVE_INFINITY },
      { offset: 2, limit: 5 },
      { offset: 1_000, limit: 5 },
      { offset: 0, limit: 0 },
      { offset: 0, limit: 5, isAfter: true },
      { offset: 1, limit: Number.POSITIVE_INFINITY, isAfter: true },
    ];
    const wrong: unknown[] = [];
    const same = (found: unknown, wanted: unknown, page: object) => {
      if (!isDeepStrictEqual(found, wanted)) wrong.push({ page, found, wanted });
    };
    const random = randomOf(seed + 1);
    // In the order of all keys by workspace, a place may be in any of them.
    const everyKey = { list: 'keys', working: false, descending: false } as const;
    for (const search of SEARCHES)
      for (const descending of [false, true])
        for (const { isAfter = false, ...part } of parts) {
          const common = { ...(search !== undefined && { search }), descending };
          for (const sort of WORKSPACE_SORTS) {
            const model = modelList(all, { ...common, list: 'workspaces', sort }, now);
            const [any] = modelList(all, { list: 'workspaces', descending, sort }, now);
            const place = isAfter ? somewhere(model, random, any as Ranked) : undefined;
            const page: WorkspacePage = {
              ...common,
              ...part,
              sort,
              ...(place && { after: placeOf(place) }),
            };
            const { items, total, offset } = await office.pageOfWorkspaces(page, now);
            same(
              [items.map(({ workspace }) => workspace.id), total, offset],
              expected(model, page, place),
              page,
            );
            for (const { workspace, workingKeys: count } of items)
              same(count, workingKeys(all, workspace.id, now), page);
          }
          for (const sort of KEY_SORTS)
            for (const owner of [undefined, 'w1', 'w4', 'w11'])
              for (const working of [false, true]) {
                const asked = {
                  ...common,
                  sort,
                  working,
                  ...(owner !== undefined && { workspace: owner }),
                };
                const model = modelList(all, { ...asked, list: 'keys' }, now);
                const others = modelList(all, { ...everyKey, sort }, now);
                const from = random.pick([model, others]);
                const place = isAfter ? somewhere(from, random, others[0] as Ranked) : undefined;
                const page: KeyPage = { ...asked, ...part, ...(place && { after: placeOf(place) }) };
                const { items, total, offset } = await office.pageOfKeys(page, now);
                same([items.map(({ key }) => key.id), total, offset], expected(model, page, place), page);
              }
        }
    t.strictSame(wrong.slice(0, 3), [], `TEST_SEED=${seed}`);
    const first = { descending: false, offset: 0, limit: 10, working: false };
    const closed = await office.pageOfKeys({ ...first, workspace: 'w1' }, now);
    t.ok(closed.items.every(({ workspace }) => workspace.closed !== null));
    await t.rejects(office.pageOfKeys({ ...first, workspace: 'w99' }, now), {
      name: 'AccessError',
      refusal: 'not_found',
    });
  });
}
