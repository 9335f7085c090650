import type { Test } from 'tap';
import { type Clock, nextTurn } from '../../../src/base/index.js';
import { reconcile } from '../../../src/storage/folder/administration/reconcile.js';
import { balanceOf, readUsage } from '../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../src/storage/folder/administration/rows.js';
import { FolderCalendar } from '../../../src/storage/folder/calendar.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import type { Log } from '../../../src/telemetry/index.js';
import { changeWorkspace, createKey, createWorkspace, grantCredit } from '../access/folder-changes.js';
import { thrown } from '../access/opened.js';
import { dataFolder } from '../data-folder.js';
import { fakeClock } from '../fake-clock.js';
import type { MonthWorld } from './month-world.js';

/** The calendar is read, and stored, at least so often. */
const STEP_MS = 60_000;

/** A server on a data folder. */
export async function folderMonthWorld(t: Test, start: number): Promise<MonthWorld> {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const system = fakeClock(start);
  createWorkspace(store, system, 'w');
  grantCredit(store, system, 'w', 10n ** 15n);
  const { key } = createKey(store, system, 'w', null);
  const open = async () => {
    const life = { isOver: false };
    const after: Clock['after'] = (ms, callback) => system.after(ms, () => life.isOver || callback());
    const log = { warn: () => {}, error: (error: unknown) => t.error(error) } as unknown as Log;
    const calendar = new FolderCalendar(store, { ...system, after }, log);
    await calendar.start();
    return { life, calendar, access: new FolderAccess(store, calendar.clock, (error) => t.error(error)) };
  };
  let server = await open();
  t.teardown(() => server.calendar.stop());
  const caller = () => {
    const holder = server.access.holder(key.id);
    if (holder === undefined) throw new Error('the key has no holder');
    return holder;
  };
  const now = () => server.calendar.clock.now();
  return {
    times: async () => ({ now: now(), settled: server.calendar.clock.settled() }),
    charge: async (amount) => {
      // The clock of the test is ahead of the disk.
      await server.access.flush();
      const charge = { model: 'm', kind: 'live', inputTokens: amount, price: 1n } as const;
      return thrown(() => server.access.reserve(caller(), charge).post()) as string | null;
    },
    pause: async () => server.access.pause(caller().workspace),
    async monthCharged() {
      await server.access.flush();
      const { monthCharged: commands } = balanceOf(store, getWorkspace(store, 'w'), now());
      const { monthCharged } = await server.access.balance(caller().workspace);
      return { server: monthCharged, commands };
    },
    usage: (days) => server.access.usage(caller(), days),
    counters: async () => new Map(readUsage(store, {}).map(({ day, amount }) => [day, amount])),
    problems: async () => reconcile(store).problems,
    setBudget: async (budget) => void changeWorkspace(store, system, 'w', { budget }),
    async wait(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        system.advance(Math.min(STEP_MS, ms - passed));
        now();
        await nextTurn();
      }
    },
    async jump(ms) {
      system.set(system.now() + ms);
      now();
    },
    async restart(ms, isKilled) {
      await server.access.flush();
      if (!isKilled) await server.calendar.stop();
      server.life.isOver = true;
      system.pass(ms);
      server = await open();
    },
  };
}
