// Charges, budgets and reports about the end of a month, after random downtimes and jumps of the clock, against a model.

import { type Test, test } from 'tap';
import { databaseMonthWorld } from '../support/months/database-month-world.js';
import { folderMonthWorld } from '../support/months/folder-month-world.js';
import type { MonthWorld } from '../support/months/month-world.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
const START = Date.UTC(2026, 10, 30, 22);
const OPERATIONS = scaled({ short: 120, long: 1_000 });
/** 60 ms each. */
const DATABASE_OPERATIONS = scaled({ short: 120, long: 250 });
/**
 * More than a quarter of what is left of any budget: a node then leases no more than a request costs, and a lower budget
 * applies at once.
 */
const AMOUNTS = [51, 60, 80];
const LEFT_MAX = 200n;
const LEFT = [0n, 60n, 100n, 150n, LEFT_MAX];
/** The last number that stands for a change of the budget, which is made when a new month leaves more than LEFT_MAX of it. */
const BUDGET = 10;
const WAITS = [SECOND_MS, 4 * MINUTE_MS, 5 * MINUTE_MS, 6 * MINUTE_MS];
const JUMPS = [2 * HOUR_MS, -2 * HOUR_MS, 3 * DAY_MS, -3 * DAY_MS, 31 * DAY_MS, -31 * DAY_MS];
const DOWNTIMES = [10 * SECOND_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 2 * DAY_MS, 31 * DAY_MS];

const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);

/** What a workspace was charged, by day, and the rule of its budget. */
class Model {
  readonly days = new Map<string, bigint>();
  budget = 100n;

  /** The sum of the days that begin with a text, such as a month. */
  chargedIn(prefix: string): bigint {
    let sum = 0n;
    for (const [day, amount] of this.days) if (day.startsWith(prefix)) sum += amount;
    return sum;
  }

  /** What is left of the budget: of the month that the calendar shows, and of that of the last certain time. */
  left({ now, settled }: { readonly now: number; readonly settled: number }): bigint {
    const months = new Set([now, settled].map((instant) => dayOf(instant).slice(0, 7)));
    return [...months].reduce((left, month) => left - this.chargedIn(month), this.budget);
  }

  charge(now: number, amount: number): void {
    this.days.set(dayOf(now), (this.days.get(dayOf(now)) ?? 0n) + BigInt(amount));
  }
}

/** Random operations on a server, each with what it is compared to. */
class Pair {
  readonly model = new Model();
  /** The last jump, while it can be taken back. */
  private jumped = 0;
  readonly seen = { doubts: 0, refused: 0, charged: 0 };

  constructor(
    private readonly t: Test,
    private readonly world: MonthWorld,
    private readonly source: ReturnType<typeof random>,
  ) {}

  private pick<Item>(items: readonly Item[]): Item {
    return items[this.source.integer(items.length)] as Item;
  }

  async operate(): Promise<string> {
    const { world } = this;
    const isLarge = this.model.left(await world.times()) > LEFT_MAX;
    const which = isLarge ? BUDGET : this.source.integer(12);
    if (which < 4) return this.charge();
    if (which < 6) {
      const ms = this.pick(WAITS);
      await world.wait(ms);
      return `wait ${ms}`;
    }
    if (which < 8) {
      const ms = this.jumped !== 0 && this.source.integer(2) === 0 ? -this.jumped : this.pick(JUMPS);
      this.jumped = ms;
      await world.jump(ms);
      return `jump ${ms}`;
    }
    if (which <= BUDGET) {
      this.model.budget += this.pick(LEFT) - this.model.left(await world.times());
      await world.setBudget(this.model.budget);
      return `budget ${this.model.budget}`;
    }
    const [ms, isKilled] = [this.pick(DOWNTIMES), this.source.integer(2) === 0];
    await world.restart(ms, isKilled);
    return `restart after ${ms}, ${isKilled}`;
  }

  private async charge(): Promise<string> {
    const amount = this.pick(AMOUNTS);
    const times = await this.world.times();
    const isCovered = this.model.left(times) >= BigInt(amount);
    const refused = await this.world.charge(amount);
    this.t.equal(refused, isCovered ? null : 'budget_exceeded', 'a charge');
    if (refused === null) this.model.charge(times.now, amount);
    this.seen[refused === null ? 'charged' : 'refused'] += 1;
    return `charge ${amount}: ${refused}`;
  }

  /** A jump into another month has lasted just long enough for the calendar to follow it. */
  async enterDoubt(): Promise<void> {
    const { world } = this;
    await world.wait(6 * MINUTE_MS);
    const { now, settled } = await world.times();
    await world.jump(settled + 62 * DAY_MS - now);
    await world.wait(5 * MINUTE_MS);
  }

  async compare(): Promise<void> {
    const { t, world, model } = this;
    const times = await world.times();
    const month = dayOf(times.now).slice(0, 7);
    if (month !== dayOf(times.settled).slice(0, 7)) this.seen.doubts += 1;
    const charged = model.chargedIn(month);
    t.strictSame(await world.monthCharged(), { server: charged, commands: charged }, 'this month');
    t.equal(await world.pause(), model.left(times) <= 0n ? 'budget_exceeded' : null, 'the pause');
    t.strictSame([...(await world.counters())].sort(), [...model.days].sort(), 'the days');
    t.strictSame(await world.problems(), []);
    const { from, to, rows } = await world.usage(40);
    t.equal(to, dayOf(times.now), 'today');
    const shown = [...model.days].filter(([day]) => day >= from && day <= to).sort();
    t.strictSame(
      rows.map(({ day, amount }) => [day, amount]),
      shown,
      'the last days',
    );
  }
}

async function compareAll(
  t: Test,
  open: (t: Test, start: number) => Promise<MonthWorld>,
  operations: number,
) {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const world = await open(t, START);
  await world.setBudget(100n);
  const pair = new Pair(t, world, random(seed));
  const done: string[] = [];
  for (let operation = 0; operation < operations && t.passing(); operation += 1) {
    done.push(await pair.operate());
    await pair.compare();
  }
  // Few random walks have no doubts.
  await pair.enterDoubt();
  await pair.compare();
  if (!t.passing()) t.comment(done.slice(-12).join('\n'));
  t.comment(JSON.stringify(pair.seen));
  for (const [name, count] of Object.entries(pair.seen)) t.ok(count > 0, `${name} are among the operations`);
}

test('months and budgets in a data folder, with a clock that jumps, against a model', (t) =>
  compareAll(t, folderMonthWorld, OPERATIONS));

test('months and budgets in a database, with a clock that jumps, against a model', NEEDS_POSTGRES, (t) =>
  compareAll(t, databaseMonthWorld, DATABASE_OPERATIONS),
);

for (const [where, open, options] of [
  ['a data folder', folderMonthWorld, {}],
  ['a database', databaseMonthWorld, NEEDS_POSTGRES],
] as const) {
  test(
    `${where}: a clock that is in the next month for 6 minutes gives no second budget`,
    options,
    async (t) => {
      const world = await open(t, START);
      await world.setBudget(100n);
      t.equal(await world.charge(100), null);
      const shown: string[] = [];
      for (let half = 0; half < 36; half += 1) {
        if (half === 0) await world.jump(3 * DAY_MS);
        if (half === 12) await world.jump(-3 * DAY_MS);
        await world.wait(MINUTE_MS / 2);
        const { now, settled } = await world.times();
        if (shown.at(-1) !== dayOf(now).slice(0, 7)) shown.push(dayOf(now).slice(0, 7));
        t.equal(dayOf(settled), '2026-11-30', `${half}: the last certain day`);
        t.equal(await world.charge(51), 'budget_exceeded', `${half}`);
      }
      t.strictSame(shown, ['2026-11', '2026-12', '2026-11']);
    },
  );
}
