import { test } from 'tap';
import { acceptJump } from '../../../../src/storage/database/calendar/accept.js';
import type { CalendarRow } from '../../../../src/storage/database/calendar/calendar-row.js';
import { type Database, DatabaseUnavailable } from '../../../../src/storage/database/index.js';

const ROW = { version: 1, correction: -5, began: 7 } as CalendarRow;

/** The names of the statements of a jump. `isLocked`: a transaction in progress does not end in time. */
async function sent(isLocked: boolean): Promise<string[]> {
  const names: string[] = [];
  const transaction = {
    query: async ({ name }: { name: string }) => {
      names.push(name);
      return name === 'calendar-unchanged' ? [{}] : [];
    },
    execute: async ({ name, text }: { name: string; text: string }) => {
      names.push(name);
      if (isLocked && /LOCK TABLE .*batches/.test(text))
        throw new DatabaseUnavailable('It is locked.', '55P03');
      return 1;
    },
  };
  const database = { transaction: (work: (each: unknown) => Promise<void>) => work(transaction) };
  await acceptJump(database as unknown as Database, ROW, 1);
  return names;
}

test('nothing is moved before everything that moves is locked', async (t) => {
  t.match(await sent(false), [
    'calendar-limit-locks',
    'calendar-alone',
    'calendar-unchanged',
    'calendar-lock',
  ]);
  t.strictSame((await sent(false)).slice(4), [
    'task_answers-move',
    'task_labels-move',
    'calendar-move-batches',
    'calendar-move-submissions',
    'calendar-accept',
  ]);
  t.equal((await sent(true)).at(-1), 'calendar-lock');
});
