// The search for a pooler that shares sessions, against a model of poolers: any number of idle sessions, given out in
// turns or the last one first, to connections that keep one during a transaction or for good.
import { test } from 'tap';
import { changesSessions, type Session } from '../../../../src/storage/database/postgres/usable.js';

const SESSIONS_MAX = 24;

/** A pooler with sessions 1 to `count`, all idle. */
class Pool {
  private readonly idle: number[];

  constructor(
    count: number,
    private readonly inTurns: boolean,
    private readonly mode: 'session' | 'transaction' | 'statement',
  ) {
    this.idle = Array.from({ length: count }, (_, index) => index + 1);
  }

  connect(): Session {
    let held: number | null = null;
    const take = () => (held ?? (this.inTurns ? this.idle.shift() : this.idle.pop())) as number;
    const give = (session: number) => {
      held = null;
      this.idle.push(session);
    };
    return {
      session: async () => {
        const session = take();
        if (this.mode === 'session') held = session;
        else if (held === null) give(session);
        return session;
      },
      run: async (text) => {
        if (this.mode === 'statement') return give(take());
        const session = take();
        if (this.mode === 'session' || text === 'BEGIN') held = session;
        else give(session);
      },
    };
  }
}

const found = (count: number, inTurns: boolean, mode: 'session' | 'transaction' | 'statement') => {
  const pool = new Pool(count, inTurns, mode);
  return changesSessions(pool.connect(), pool.connect());
};

test('a pooler that shares sessions is found, however many it has', async (t) => {
  for (const mode of ['transaction', 'statement'] as const)
    for (const inTurns of [true, false])
      for (let count = 2; count <= SESSIONS_MAX; count += 1)
        t.ok(await found(count, inTurns, mode), `${mode}, ${count} sessions, in turns: ${inTurns}`);
});

test('a pooler that gives each connection its session is not taken for one that shares them', async (t) => {
  for (const inTurns of [true, false])
    for (let count = 2; count <= SESSIONS_MAX; count += 1) t.notOk(await found(count, inTurns, 'session'));
});
