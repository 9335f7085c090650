// Lists that change while their pages are read one after the other, by the cursors of the operator's interface.
import { deserialize } from 'node:v8';
import { type Test, test } from 'tap';
import {
  AccessError,
  type Administration,
  CHANGES,
  type ListedWorkspace,
  type ListPlace,
  readCursor,
} from '../../../../src/access/index.js';
import { KEY_SORTS, WORKSPACE_SORTS } from '../../../../src/api/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { READS, type ReadParts } from '../../../../src/storage/administration/reads.js';
import { ADMINISTRATIONS } from '../../../support/access/administrations.js';
import {
  type AskedList,
  compareRanks,
  everything,
  modelList,
  type Ranked,
} from '../../../support/access/model-lists.js';
import { type Random, random as randomOf, seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';

const NAMES = [null, 'alpha', 'Alpha', 'beta', 'ßeta', 'İzmir', 'zeta', '\u{1f600}'];
const DAY_MS = 24 * 60 * 60 * 1_000;
const ROUNDS = scaled({ short: 8, long: 16 });

/** A page as the interface returns it. */
interface ShownPage {
  readonly ids: readonly string[];
  readonly total: number;
  readonly offset: number;
  readonly next: string | null;
  readonly previous: string | null;
}

/** Where a page begins or ends, and how many entries it may have. */
interface Part {
  readonly limit: number;
  readonly after?: ListPlace;
  readonly before?: ListPlace;
}

async function readPage({ list, ...asked }: AskedList, part: Part, parts: ReadParts): Promise<ShownPage> {
  const page = { ...asked, ...part, offset: 0 };
  if (list === 'workspaces') {
    const { parts: bytes, ...shown } = await READS.listWorkspaces(page as never)(parts);
    const items = bytes.flatMap((each) => deserialize(each) as ListedWorkspace[]);
    return { ...shown, ids: items.map(({ workspace }) => workspace.id) };
  }
  const { keys, ...shown } = JSON.parse(Buffer.from(await READS.listKeys(page as never)(parts)).toString());
  return { ...shown, ids: keys.map(({ id }: { id: string }) => id) };
}

/** Makes a change of any kind: entries come, go by a filter, and get another place in an order. */
async function changeSomething(office: Administration, { integer, pick }: Random): Promise<void> {
  const { workspaces, keys } = await everything(office);
  const workspace = () => pick(workspaces).id;
  const key = () => pick(keys).id;
  const changes: ReadonlyArray<() => Promise<unknown>> = [
    () => office.change(CHANGES.createWorkspace(`w${integer(10_000)}`, pick(NAMES))),
    () => office.change(CHANGES.createKey(workspace(), pick(['never', '1', '30']), pick(NAMES))),
    () => office.change(CHANGES.createKey(workspace(), pick(['never', '1', '30']), pick(NAMES))),
    () => office.change(CHANGES.renameKey(key(), pick(NAMES))),
    () => office.change(CHANGES.changeWorkspace(workspace(), { name: pick(NAMES) })),
    () => office.change(CHANGES.grantCredit(workspace(), BigInt(integer(7)) - 3n || 9n)),
    () => office.change(CHANGES.revokeKey(key())),
    () => office.change(CHANGES.rollKey(key())),
    () => office.change(CHANGES.closeWorkspace(workspace())),
    () => office.change(CHANGES.reopenWorkspace(pick(workspaces.filter(({ closed }) => closed !== null)).id)),
  ];
  try {
    await pick(changes)();
  } catch (error) {
    // Some changes cannot be made, such as one of a revoked key.
    if (!(error instanceof AccessError || error instanceof TypeError)) throw error;
  }
}

/** A list of at least five pages. */
const longList = ({ pick }: Random): AskedList => ({
  list: 'keys',
  sort: pick(KEY_SORTS),
  descending: pick([false, true]),
  working: false,
});

/** A list in any order, with any filter. */
function anyList({ pick }: Random, ids: readonly string[]): AskedList {
  const search = pick([undefined, undefined, 'a', 'w1', 'key_']);
  const common = { ...(search !== undefined && { search }), descending: pick([false, true]) };
  if (pick([false, true, true])) {
    const workspace = pick([undefined, undefined, pick(ids)]);
    const owner = workspace === undefined ? {} : { workspace };
    return { ...common, ...owner, list: 'keys', sort: pick(KEY_SORTS), working: pick([false, true]) };
  }
  return { ...common, list: 'workspaces', sort: pick(WORKSPACE_SORTS) };
}

/** What a list was at every moment of a walk through its pages. */
class History {
  private readonly moments: Array<ReadonlyMap<string, Ranked>> = [];

  add(list: readonly Ranked[]): void {
    this.moments.push(new Map(list.map((each) => [each.id, each])));
  }

  /** The entries that were in the list all the time, at one place. */
  steady(): Ranked[] {
    const [first, ...others] = this.moments as [ReadonlyMap<string, Ranked>, ...typeof this.moments];
    const isSame = (one: Ranked, other: Ranked | undefined) =>
      other !== undefined && compareRanks(one.ranks, other.ranks) === 0;
    return [...first.values()].filter((each) => others.every((moment) => isSame(each, moment.get(each.id))));
  }
}

/** The two ways through the pages of a list. */
const FORWARDS = {
  sign: 1,
  parameter: 'after',
  cursor: 'next',
  cut: (rest: readonly Ranked[], limit: number) => rest.slice(0, limit),
} as const;
const BACKWARDS = {
  sign: -1,
  parameter: 'before',
  cursor: 'previous',
  cut: (rest: readonly Ranked[], limit: number) => rest.slice(-limit),
} as const;

/** An entry of a page, and the cursor of it. */
interface Stop {
  readonly entry: Ranked;
  readonly cursor: string;
}

/** A walk through the pages of a list that changes meanwhile. */
class Walk {
  readonly wrong: unknown[] = [];
  pages = 0;
  private now = systemClock.now();
  private readonly limit: number;

  constructor(
    private readonly office: Administration,
    private readonly asked: AskedList,
    private readonly random: Random,
  ) {
    this.limit = 1 + random.integer(6);
  }

  /** Reads all pages, or those before a stop. Resolves with the first entry of the last page, if there are pages before it. */
  async go({ sign, parameter, cursor, cut }: typeof FORWARDS | typeof BACKWARDS, from?: Stop) {
    const [history, seen]: [History, Ranked[]] = [new History(), []];
    const isBehind = (each: Ranked, place?: Ranked) =>
      place === undefined || sign * this.order(each, place) > 0;
    for (let stop = from; ; ) {
      const list = await this.model();
      history.add(list);
      const shown = cut(
        list.filter((each) => isBehind(each, stop?.entry)),
        this.limit,
      );
      const page = await this.read(stop && { [parameter]: readCursor(this.asked.sort, stop.cursor) });
      this.check('page', shown.map(({ id }) => id).join() === page.ids.join(), shown, page);
      this.check('total', page.total === list.length, list.length, page);
      const [first, last] = [shown[0], shown.at(-1)];
      const end = parameter === 'after' ? list.length : 0;
      this.check('offset', page.offset === (first ? list.indexOf(first) : end), page);
      this.check('next', (page.next === null) === (last === list.at(-1) || last === undefined), page);
      this.check('previous', (page.previous === null) === (first === list[0] || first === undefined), page);
      seen.push(...(sign > 0 ? shown : [...shown].reverse()));
      const reached = page[cursor];
      if (reached === null || this.wrong.length > 0) {
        this.checkSeen(seen, history, (each) => isBehind(each, from?.entry), sign);
        return page.previous === null ? undefined : { entry: first as Ranked, cursor: page.previous };
      }
      stop = { entry: (sign > 0 ? last : first) as Ranked, cursor: reached };
      for (let left = this.random.integer(4); left > 0; left -= 1) {
        if (this.random.integer(6) === 0) this.now += DAY_MS / 2;
        else await changeSomething(this.office, this.random);
        history.add(await this.model());
      }
    }
  }

  /** What was seen is in order, and has everything that was there all the time once. */
  private checkSeen(
    seen: readonly Ranked[],
    history: History,
    isAsked: (each: Ranked) => boolean,
    sign: number,
  ): void {
    const isSorted = seen.every(
      (each, at) => at === 0 || sign * this.order(seen[at - 1] as Ranked, each) < 0,
    );
    this.check('order', isSorted, seen);
    for (const each of history.steady()) {
      const times = seen.filter(({ id }) => id === each.id).length;
      this.check('once', times === Number(isAsked(each)), each, times);
    }
  }

  private read(part: Omit<Part, 'limit'> | undefined): Promise<ShownPage> {
    this.pages += 1;
    const parts = { administration: this.office, now: this.now } as ReadParts;
    return readPage(this.asked, { limit: this.limit, ...part }, parts);
  }

  private async model(): Promise<Ranked[]> {
    return modelList(await everything(this.office), this.asked, this.now);
  }

  private order(one: Ranked, other: Ranked): number {
    return compareRanks(one.ranks, other.ranks) * (this.asked.descending ? -1 : 1);
  }

  private check(what: string, isRight: boolean, ...details: unknown[]): void {
    if (!isRight) this.wrong.push({ what, asked: this.asked, limit: this.limit, details });
  }
}

for (const { name, options, open } of ADMINISTRATIONS) {
  test(`${name}: each entry is on one page, whatever changes between the pages`, options, async (t: Test) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const random = randomOf(seed);
    const office = (await open(t)).as('x');
    for (let at = 0; at < 10; at += 1)
      await office.change(CHANGES.createWorkspace(`w${at}`, random.pick(NAMES)));
    for (let at = 0; at < 30; at += 1)
      await office.change(
        CHANGES.createKey(`w${random.integer(4)}`, random.pick(['never', '2']), random.pick(NAMES)),
      );
    let pages = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = (await office.listWorkspaces()).map(({ id }) => id);
      const walk = new Walk(office, round % 4 === 0 ? longList(random) : anyList(random, ids), random);
      const last = await walk.go(FORWARDS);
      if (last !== undefined) await walk.go(BACKWARDS, last);
      pages += walk.pages;
      t.strictSame(walk.wrong.slice(0, 1), [], `TEST_SEED=${seed}, round ${round}`);
      if (walk.wrong.length > 0) return;
    }
    t.ok(pages > 2 * ROUNDS, `TEST_SEED=${seed}: ${pages} pages`);
  });
}
