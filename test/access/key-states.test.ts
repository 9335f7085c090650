import { type Test, test } from 'tap';
import { endOfNextDay } from '../../src/access/dates.js';
import type { NewKey } from '../../src/access/index.js';
import { keyState } from '../../src/access/keys.js';
import { systemClock } from '../../src/base/index.js';
import { getWorkspace, listKeys } from '../../src/storage/folder/administration/rows.js';
import {
  changeWorkspace,
  closeWorkspace,
  createKey,
  grantCredit,
  reopenWorkspace,
  revokeKey,
  rollKey,
} from '../support/access/folder-changes.js';
import { opened, thrown } from '../support/access/opened.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
type Opened = ReturnType<typeof opened>;

/** What each operation does to a key in a state: the type or name of its error, null where it succeeds. */
interface Expected {
  readonly shown: string;
  readonly authenticate: string | null;
  readonly admit?: string | null;
  readonly reserve?: string | null;
  readonly roll: RegExp | null;
}

/** Brings the live key of a workspace with credit into a state. */
const STATES: Record<string, { bring(of: Opened, made: NewKey): void; expected: Expected }> = {
  live: {
    bring: () => {},
    expected: { shown: 'live', authenticate: null, admit: null, reserve: null, roll: null },
  },
  'in its last millisecond': {
    bring: ({ clock }) => clock.advance(DAY_MS),
    expected: { shown: 'live', authenticate: null, admit: null, reserve: null, roll: null },
  },
  expired: {
    bring: ({ clock }) => clock.advance(DAY_MS + 1),
    expected: { shown: 'expired', authenticate: 'unauthorized', roll: /is expired; create a new one/ },
  },
  revoked: {
    bring: ({ store, clock }, { key }) => void revokeKey(store, clock, key.id),
    expected: { shown: 'revoked', authenticate: 'unauthorized', roll: /is revoked; create a new one/ },
  },
  'revoked, and then its time over': {
    bring: ({ store, clock }, { key }) => {
      revokeKey(store, clock, key.id);
      clock.advance(DAY_MS + 1);
    },
    expected: { shown: 'revoked', authenticate: 'unauthorized', roll: /is revoked; create a new one/ },
  },
  rolled: {
    bring: ({ store, clock }, { key }) => void rollKey(store, clock, key.id),
    expected: {
      shown: 'rolled',
      authenticate: null,
      admit: null,
      reserve: null,
      roll: /was already rolled to key_/,
    },
  },
  'rolled, and the next day over': {
    bring: ({ store, clock }, { key }) => {
      rollKey(store, clock, key.id);
      clock.set(endOfNextDay(clock.now()) + 1);
    },
    expected: { shown: 'expired', authenticate: 'unauthorized', roll: /is expired; create a new one/ },
  },
  'rolled, and then revoked': {
    bring: ({ store, clock }, { key }) => {
      rollKey(store, clock, key.id);
      revokeKey(store, clock, key.id);
    },
    expected: { shown: 'revoked', authenticate: 'unauthorized', roll: /is revoked; create a new one/ },
  },
  'of a closed workspace': {
    bring: ({ store, clock }) => void closeWorkspace(store, clock, 'acme'),
    expected: { shown: 'closed', authenticate: 'unauthorized', roll: /acme is closed; reopen it first/ },
  },
  'of a workspace that was closed and opened again': {
    bring: ({ store, clock }) => {
      closeWorkspace(store, clock, 'acme');
      reopenWorkspace(store, clock, 'acme');
    },
    expected: { shown: 'live', authenticate: null, admit: null, reserve: null, roll: null },
  },
  'revoked, of a closed workspace': {
    bring: ({ store, clock }, { key }) => {
      revokeKey(store, clock, key.id);
      closeWorkspace(store, clock, 'acme');
    },
    expected: { shown: 'revoked', authenticate: 'unauthorized', roll: /is revoked; create a new one/ },
  },
  'of a workspace without credit': {
    bring: ({ store, clock }) => void grantCredit(store, clock, 'acme', -100n),
    expected: {
      shown: 'live',
      authenticate: null,
      admit: 'out_of_credit',
      reserve: 'out_of_credit',
      roll: null,
    },
  },
  'of a workspace that owes': {
    bring: ({ store, clock }) => void grantCredit(store, clock, 'acme', -101n),
    expected: {
      shown: 'live',
      authenticate: null,
      admit: 'out_of_credit',
      reserve: 'out_of_credit',
      roll: null,
    },
  },
  'of a workspace whose credit is less than the request': {
    bring: ({ store, clock }) => void grantCredit(store, clock, 'acme', -91n),
    expected: { shown: 'live', authenticate: null, admit: null, reserve: 'out_of_credit', roll: null },
  },
  'of a workspace at its budget': {
    bring: ({ store, clock }) => void changeWorkspace(store, clock, 'acme', { budget: 0n }),
    expected: {
      shown: 'live',
      authenticate: null,
      admit: 'budget_exceeded',
      reserve: 'budget_exceeded',
      roll: null,
    },
  },
  'of a workspace whose budget is less than the request': {
    bring: ({ store, clock }) => void changeWorkspace(store, clock, 'acme', { budget: 9n }),
    expected: { shown: 'live', authenticate: null, admit: null, reserve: 'budget_exceeded', roll: null },
  },
  'of a workspace that may use no model any more': {
    bring: ({ store, clock }) => void changeWorkspace(store, clock, 'acme', { models: ['gone'] }),
    expected: { shown: 'live', authenticate: null, admit: null, reserve: null, roll: null },
  },
};

function prepared(t: Test, state: string) {
  const all = opened(t);
  all.workspace('acme', 100n);
  const made = createKey(all.store, all.clock, 'acme', all.clock.now() + DAY_MS);
  const { bring, expected } = STATES[state] as (typeof STATES)[string];
  // A key that was used is remembered; so it is by a server that runs.
  all.caller(made.token);
  bring(all, made);
  const key = () => listKeys(all.store).find(({ id }) => id === made.key.id) as NewKey['key'];
  return { ...all, made, expected, key };
}

for (const state of Object.keys(STATES)) {
  test(`a key ${state}: every operation`, async (t) => {
    const { access, caller, clock, store, reserve, made, expected, key } = prepared(t, state);
    const owner = () => getWorkspace(store, 'acme');
    t.equal(keyState(key(), owner(), clock.now()), expected.shown);
    t.equal(
      thrown(() => caller(made.token)),
      expected.authenticate,
      'authenticate',
    );
    if (expected.authenticate === null) {
      t.equal(
        thrown(() => access.admit(caller(made.token), 1)),
        expected.admit,
        'admit',
      );
      t.equal(
        thrown(() => reserve(made.token, 10).release()),
        expected.reserve,
        'reserve',
      );
      t.strictSame(caller(made.token).key, key(), 'the caller’s key is that of the table');
    }
    const before = key();
    if (expected.roll === null) {
      const next = rollKey(store, clock, made.key.id);
      t.equal(caller(next.token).key.id, next.key.id);
      t.equal(next.key.workspace, 'acme');
      t.match(key(), { rolledTo: next.key.id, revoked: null });
    } else {
      t.throws(() => rollKey(store, clock, made.key.id), { name: 'AccessError', message: expected.roll });
      t.strictSame(key(), before, 'a refused roll changes nothing');
    }
    const revoked = revokeKey(store, clock, made.key.id);
    clock.advance(1);
    t.strictSame(revokeKey(store, clock, made.key.id), revoked, 'revoked once');
    t.equal(keyState(key(), owner(), clock.now()), 'revoked');
    t.equal(
      thrown(() => caller(made.token)),
      'unauthorized',
    );
  });
}

test('a change of a workspace’s models applies from the next request', async (t) => {
  const { caller, store, workspace } = opened(t);
  const { token } = workspace('acme', 0n);
  for (const models of [null, ['a'], ['a', 'b'], [], null]) {
    changeWorkspace(store, systemClock, 'acme', { models });
    t.strictSame(caller(token).workspace.models, models);
  }
});
