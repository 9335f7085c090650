// The pages of lists are the same from a data folder and a database, and as a plain sort and filter has them.
import { isDeepStrictEqual } from 'node:util';
import { type Test, test } from 'tap';
import {
  type Administration,
  CHANGES,
  type Key,
  type KeyPage,
  keyWorks,
  type Workspace,
  type WorkspacePage,
} from '../../../../src/access/index.js';
import { KEY_SORTS, WORKSPACE_SORTS } from '../../../../src/api/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { ADMINISTRATIONS } from '../../../support/access/administrations.js';
import { random, seedFromEnvironment } from '../../../support/random.js';

const NAMES = [null, 'alpha', 'Alpha', 'ßeta', 'Äther', 'zeta', 'ÄTHER 2'];
const SEARCHES = [undefined, 'al', 'ä', 'w1', 'key_', 'nothing'];

/** Workspaces, some of them closed, and keys, some of them revoked or with an end. */
async function filled(office: Administration, seed: number): Promise<void> {
  const { integer, pick } = random(seed);
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

const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
/** Compares by values, of which null is the largest, then by ids; texts by their bytes. */
function compare(one: ReadonlyArray<unknown>, other: ReadonlyArray<unknown>): number {
  for (const [at, value] of one.entries()) {
    const against = other[at];
    if (value === against) continue;
    if (value === null || against === null) return value === null ? 1 : -1;
    if (typeof value === 'string') return bytes(value, against as string);
    return (value as number) < (against as number) ? -1 : 1;
  }
  return 0;
}

/** What a page must have. */
function expected<Item>(
  items: readonly Item[],
  { search, descending, offset, limit }: Pick<KeyPage, 'search' | 'descending' | 'offset' | 'limit'>,
  textsOf: (item: Item) => ReadonlyArray<string | null>,
  ranksOf: (item: Item) => readonly unknown[],
) {
  const found = items.filter(
    (item) => search === undefined || textsOf(item).some((text) => text?.toLowerCase().includes(search)),
  );
  found.sort((one, other) => compare(ranksOf(one), ranksOf(other)) * (descending ? -1 : 1));
  return { items: found.slice(offset, offset + limit), total: found.length };
}

const lower = (name: string | null) => name?.toLowerCase() ?? null;

for (const { name, options, open } of ADMINISTRATIONS) {
  test(`${name}: pages of workspaces and keys in every order`, options, async (t: Test) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const world = await open(t);
    const office = world.as('x');
    await filled(office, seed);
    const now = systemClock.now();
    const workspaces = await office.listWorkspaces();
    const owners = new Map(workspaces.map((each) => [each.id, each]));
    const keys = await office.listKeys();
    const works = (key: Key) => keyWorks(key, owners.get(key.workspace) as Workspace, now);
    const working = (id: string) => keys.filter((key) => key.workspace === id && works(key)).length;
    const ranks: Record<(typeof WORKSPACE_SORTS)[number], (each: Workspace) => unknown> = {
      id: ({ id }) => id,
      name: (each) => lower(each.name),
      created: ({ created }) => created,
      granted: ({ granted }) => granted,
      working_keys: ({ id }) => working(id),
    };
    const keyRanks: Record<(typeof KEY_SORTS)[number], (key: Key) => readonly unknown[]> = {
      workspace: ({ workspace, created }) => [workspace, created],
      name: (key) => [lower(key.name)],
      created: ({ created }) => [created],
      expires: ({ expires }) => [expires],
    };
    const parts = [
      { offset: 0, limit: Number.POSITIVE_INFINITY },
      { offset: 2, limit: 5 },
      { offset: 1_000, limit: 5 },
      { offset: 0, limit: 0 },
    ];
    const wrong: unknown[] = [];
    const same = (found: unknown, wanted: unknown, page: object) => {
      if (!isDeepStrictEqual(found, wanted)) wrong.push({ page, found, wanted });
    };
    for (const search of SEARCHES)
      for (const descending of [false, true])
        for (const part of parts) {
          const common = { ...(search !== undefined && { search }), descending, ...part };
          for (const sort of WORKSPACE_SORTS) {
            const page: WorkspacePage = { ...common, sort };
            const { items, total } = await office.pageOfWorkspaces(page, now);
            const wanted = expected(
              workspaces,
              page,
              (each) => [each.id, each.name],
              (each) => [ranks[sort](each), each.id],
            );
            same(
              [items.map(({ workspace, workingKeys }) => [workspace.id, workingKeys]), total],
              [wanted.items.map(({ id }) => [id, working(id)]), wanted.total],
              page,
            );
          }
          for (const sort of KEY_SORTS)
            for (const owner of [undefined, 'w1', 'w4', 'w11'])
              for (const onlyWorking of [false, true]) {
                const page: KeyPage = {
                  ...common,
                  sort,
                  working: onlyWorking,
                  ...(owner !== undefined && { workspace: owner }),
                };
                const { items, total } = await office.pageOfKeys(page, now);
                const among = keys.filter(
                  (key) => (owner === undefined || key.workspace === owner) && (!onlyWorking || works(key)),
                );
                const wanted = expected(
                  among,
                  page,
                  (key) => [key.id, key.workspace, key.name],
                  (key) => [...keyRanks[sort](key), key.id],
                );
                same(
                  [items.map(({ key }) => key.id), total],
                  [wanted.items.map(({ id }) => id), wanted.total],
                  page,
                );
              }
        }
    t.strictSame(wrong.slice(0, 3), [], `TEST_SEED=${seed}`);
    const all = { descending: false, offset: 0, limit: 10, working: false };
    const closed = await office.pageOfKeys({ ...all, workspace: 'w1' }, now);
    t.ok(closed.items.every(({ workspace }) => workspace.closed !== null));
    await t.rejects(office.pageOfKeys({ ...all, workspace: 'w99' }, now), {
      name: 'AccessError',
      refusal: 'not_found',
    });
  });
}
