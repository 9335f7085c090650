import { type Test, test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { apply, deleteAfter, unansweredAs } from '../../src/batch/lifecycle/apply.js';
import {
  type Batch,
  type BatchEvent,
  type BatchState,
  TRANSITIONS,
} from '../../src/batch/lifecycle/batch-transitions.js';
import { DAY_MS, START } from '../support/batch/world.js';

const EVENTS = [
  'line_started',
  'settled_answered',
  'settled_unanswered',
  'cancel',
  'window_ended',
  'key_ended',
  'erase',
] as const;

/** The table of contract 3, written a second time: a row per state, a column per event. */
const EXPECTED: Readonly<Record<BatchState, string>> = {
  queued: 'running never failed cancelling expiring ending cancelling',
  running: 'stay done failed cancelling expiring ending cancelling',
  cancelling: 'never cancelled cancelled stay stay stay stay',
  expiring: 'never done failed cancelling stay ending cancelling',
  ending: 'never failed failed refuse stay stay stay',
  done: 'never never never refuse stay stay stay',
  failed: 'never never never refuse stay stay stay',
  cancelled: 'never never never stay stay stay stay',
};
const STATES = Object.keys(EXPECTED) as BatchState[];
const FINISHED: readonly string[] = ['done', 'failed', 'cancelled'];

function batchIn(state: BatchState): Batch {
  const started = state === 'queued' ? null : START + 1;
  const finished = FINISHED.includes(state) ? START + 2 : null;
  return {
    id: 'batch_0123456789abcdefghijABCD',
    key: 'key_1',
    workspace: 'w',
    number: 0,
    state,
    lines: 10,
    chunks: 1,
    done: 3,
    failed: finished === null ? 2 : 7,
    models: ['m'],
    created: START,
    started,
    finished,
    expires: START + DAY_MS,
    collected: null,
    reason: null,
    estimate: { amount: '1', inputTokens: 1, rate: 0.5 },
    webhook: { attempts: 0, due: null },
    called: undefined,
    deleted: false,
    stored: undefined,
  };
}

const NOW = START + 5_000;

test('the table has exactly these states and events', async (t) => {
  t.strictSame(Object.keys(TRANSITIONS).sort(), [...STATES].sort());
  for (const state of STATES) t.strictSame(Object.keys(TRANSITIONS[state]), [...EVENTS], state);
});

for (const state of STATES) {
  for (const [at, event] of EVENTS.entries()) {
    const expected = EXPECTED[state].split(' ')[at] as string;
    test(`${state}, ${event}: ${expected}`, async (t) => {
      const before = batchIn(state);
      const walk = () => apply(before, event as BatchEvent, NOW);
      if (expected === 'never') {
        const error = thrownBy(walk);
        t.match(error, /is impossible/);
        t.notOk(error instanceof ApiError, 'a defect of ours is no answer');
      } else if (expected === 'refuse') {
        t.match(thrownBy(walk), { type: 'batch_finished', status: 409, headers: { final: true } });
      } else if (event === 'erase') {
        const state = expected === 'stay' ? before.state : expected;
        t.strictSame(walk(), { ...before, state, deleted: true, webhook: null }, 'only this changes');
      } else if (expected === 'stay') {
        t.strictSame(walk(), before, 'nothing changes');
      } else {
        const after = walk();
        t.equal(after.state, expected);
        effects(t, before, after);
      }
      t.strictSame(before, batchIn(state), 'a batch is never changed in place');
    });
  }
}

function thrownBy(walk: () => unknown): unknown {
  try {
    walk();
  } catch (error) {
    return error;
  }
  return undefined;
}

function effects(t: Test, before: Batch, after: Batch): void {
  t.equal(after.started, before.started ?? (after.state === 'running' ? NOW : null));
  t.equal(after.done, before.done);
  if (!FINISHED.includes(after.state)) {
    t.equal(after.finished, null);
    t.equal(after.failed, before.failed);
    t.equal(after.reason, after.state === 'ending' ? 'key_revoked' : null);
    t.equal(after.webhook?.due, null, 'no webhook call is due yet');
    t.equal(deleteAfter(after), null);
    return;
  }
  t.equal(after.finished, NOW);
  t.equal(after.failed, 7, 'what was not answered has failed (contract 2.6)');
  t.strictSame(after.webhook, { attempts: 0, due: NOW }, 'the webhook is fired');
  t.equal(deleteAfter(after), NOW + 14 * DAY_MS);
  const reason = { expiring: 'expired', ending: 'key_revoked' }[before.state as string] ?? 'no_line_answered';
  t.equal(after.reason, after.state === 'failed' ? reason : null);
  const unanswered = { expiring: 'expired', ending: 'key_revoked', cancelling: 'cancelled' };
  const type = unanswered[before.state as keyof typeof unanswered];
  if (type !== undefined) t.equal(unansweredAs(after), type);
}

test('an erased batch that had not finished finishes as deleted, without a call', async (t) => {
  const erased = apply(batchIn('running'), 'erase', NOW);
  const after = apply(erased, 'settled_answered', NOW + 1);
  t.match(after, { state: 'cancelled', finished: NOW + 1, deleted: true, webhook: null });
});

test('a batch without a webhook schedules no call', async (t) => {
  const after = apply({ ...batchIn('running'), webhook: null }, 'settled_answered', NOW);
  t.equal(after.webhook, null);
});

test('deletion: 7 days after the first collection or 14 after the finish, whichever is earlier', async (t) => {
  const done = { ...batchIn('done'), finished: START };
  t.equal(deleteAfter(done), START + 14 * DAY_MS);
  t.equal(deleteAfter({ ...done, collected: START + 1 }), START + 7 * DAY_MS + 1);
  t.equal(deleteAfter({ ...done, collected: START + 7 * DAY_MS }), START + 14 * DAY_MS);
  t.equal(deleteAfter({ ...done, collected: START + 13 * DAY_MS }), START + 14 * DAY_MS);
});
