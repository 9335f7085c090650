// Administration, by both implementations: a data folder and a database.
import { test } from 'tap';
import { CHANGES, versionOf } from '../../../../src/access/index.js';
import { DEFAULT_LIFETIME_DAYS, keyState } from '../../../../src/access/keys.js';
import { NAME_CHARACTERS_MAX } from '../../../../src/access/names.js';
import { DEFAULT_LIMITS } from '../../../../src/access/workspaces.js';
import { DAY_MS, systemClock, visible } from '../../../../src/base/index.js';
import { ADMINISTRATIONS } from '../../../support/access/administrations.js';

/** Clocks of different processes may differ by so much here. */
const NEAR_MS = 60_000;

const invalid = (message: string) => ({ name: 'AccessError', refusal: 'invalid', message });
const missing = (message: string) => ({ name: 'AccessError', refusal: 'not_found', message });
const conflict = (message: string) => ({ name: 'AccessError', refusal: 'conflict', message });

for (const { name, options, open } of ADMINISTRATIONS) {
  test(`${name}: workspaces are created, listed by id and refused`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    t.strictSame(await office.listWorkspaces(), []);
    const made = await office.change(CHANGES.createWorkspace('b'));
    t.ok(Math.abs(made.created - systemClock.now()) < NEAR_MS);
    const empty = { name: null, closed: null, granted: 0n, budget: null, models: null, ...DEFAULT_LIMITS };
    t.strictSame(made, { id: 'b', created: made.created, ...empty });
    t.strictSame(await office.getWorkspace('b'), made);
    await office.change(CHANGES.createWorkspace('a'));
    await office.change(CHANGES.createWorkspace('a-1'));
    t.strictSame(
      (await office.listWorkspaces()).map(({ id }) => id),
      ['a', 'a-1', 'b'],
    );
    await t.rejects(office.change(CHANGES.createWorkspace('b')), conflict('workspace: b already exists.'));
    for (const id of ['', 'B', '-a', 'a b', 'a\0', 'x'.repeat(65)])
      await t.rejects(office.change(CHANGES.createWorkspace(id)), {
        name: 'AccessError',
        argument: 'workspace',
      });
    for (const id of ['c', 'a\0', ''])
      await t.rejects(office.getWorkspace(id), missing(`workspace: ${visible(id)} does not exist.`));
    const { entries } = await office.audit(10);
    t.same(
      entries.map(({ number, action, workspace }) => [number, action, workspace]),
      [
        [3, 'workspace.create', 'a-1'],
        [2, 'workspace.create', 'a'],
        [1, 'workspace.create', 'b'],
      ],
    );
  });

  test(`${name}: credit is granted and taken back`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    await office.change(CHANGES.createWorkspace('a'));
    const large = 10n ** 26n;
    t.equal((await office.change(CHANGES.grantCredit('a', large))).granted, large);
    const after = await office.change(CHANGES.grantCredit('a', -large - 5n));
    t.equal(after.granted, -5n);
    t.strictSame(await office.getWorkspace('a'), after);
    t.strictSame(await office.balance(after), { charged: 0n, balance: -5n, monthCharged: 0n });
    await t.rejects(office.change(CHANGES.grantCredit('c', 1n)), missing('workspace: c does not exist.'));
    for (const reason of ['a\ud800b', '\udc00', 'a\0', 'a\nb', 'a\u2028b', 'a\u202eb', ' ', 'x'.repeat(201)])
      await t.rejects(office.change(CHANGES.grantCredit('a', 1n, { reason })), {
        argument: 'reason',
      } as never);
    t.strictSame((await office.reconcile()).problems, []);
    const [entry] = (await office.audit(1)).entries;
    t.ok(Math.abs((entry?.at ?? 0) - systemClock.now()) < NEAR_MS);
    t.strictSame(
      { ...entry, at: 0 },
      {
        number: 3,
        at: 0,
        actor: 'cli:ann',
        action: 'workspace.credit',
        workspace: 'a',
        key: null,
        changes: [{ field: 'granted', before: '100000000000000.00', after: '-0.000000000005' }],
      },
    );
  });

  test(`${name}: settings of a workspace change one by one`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    const made = await office.change(CHANGES.createWorkspace('a'));
    const [budget, models] = [7n, ['m-1', 'x/y:z']];
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', { budget })), { ...made, budget });
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', { models })), { ...made, budget, models });
    const limits = { requestsPerMinute: 1, bytesPerMinute: 2 ** 40 };
    const last = { ...made, budget, models, ...limits };
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', limits)), last);
    t.strictSame(await office.getWorkspace('a'), last);
    const entries = async () => (await office.audit(100)).entries.length;
    const before = await entries();
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', { budget })), last, 'nothing changes');
    t.equal(await entries(), before);
    const other = versionOf(made);
    await t.rejects(office.change(CHANGES.changeWorkspace('a', limits, undefined, other)), {
      name: 'AccessError',
      message: 'version: a has been changed meanwhile.',
    });
    await t.rejects(office.change(CHANGES.grantCredit('a', 1n, { version: other })), {
      name: 'AccessError',
      argument: 'version',
    });
    const current = versionOf(last);
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', { budget }, undefined, current)), last);
    const wrong = [
      [{ budget: -1n }, 'budget: it cannot be negative.'],
      [{ requestsPerMinute: 0 }, 'requests-per-minute: it must be a whole number from 1 to 1000000.'],
      [{ bytesPerMinute: 1.5 }, `bytes-per-minute: it must be a whole number from 1 to ${2 ** 40}.`],
    ] as const;
    for (const [change, message] of wrong)
      await t.rejects(office.change(CHANGES.changeWorkspace('a', change)), invalid(message));
    await t.rejects(office.change(CHANGES.changeWorkspace('a', { models: ['ok', 'all'] })), {
      name: 'AccessError',
      argument: 'models',
    });
    await t.rejects(
      office.change(CHANGES.changeWorkspace('c', { budget })),
      missing('workspace: c does not exist.'),
    );
    t.strictSame(await office.getWorkspace('a'), last);
    const cleared = { budget: null, models: null };
    t.strictSame(await office.change(CHANGES.changeWorkspace('a', cleared)), { ...last, ...cleared });
  });

  test(`${name}: keys are created with an end and listed`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    await office.change(CHANGES.createWorkspace('a'));
    await office.change(CHANGES.createWorkspace('b'));
    const { key, token } = await office.change(CHANGES.createKey('a'));
    t.match(token, /^dk_[A-Za-z0-9]{40}$/);
    t.equal(key.expires, key.created + DEFAULT_LIFETIME_DAYS * DAY_MS);
    t.ok(Math.abs(key.created - systemClock.now()) < NEAR_MS);
    t.strictSame(await office.getKey(key.id), key);
    const { key: week } = await office.change(CHANGES.createKey('a', '7'));
    t.equal(week.expires, week.created + 7 * DAY_MS);
    const { key: day } = await office.change(CHANGES.createKey('b', '2099-01-31'));
    t.equal(day.expires, Date.parse('2099-01-31T23:59:59.999Z'));
    const { key: never } = await office.change(CHANGES.createKey('b', 'never'));
    t.equal(never.expires, null);
    const sorted = (keys: readonly { id: string }[]) => keys.map(({ id }) => id).sort();
    t.strictSame(sorted(await office.listKeys()), sorted([key, week, day, never]));
    t.strictSame(sorted(await office.listKeys('b')), sorted([day, never]));
    const all = await office.listKeys();
    t.strictSame(
      all,
      [...all].sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1)),
    );
    for (const expires of ['0', '2001-01-01', 'soon', '']) {
      await t.rejects(office.change(CHANGES.createKey('a', expires)), {
        name: 'AccessError',
        argument: 'expires',
      });
    }
    await t.rejects(office.change(CHANGES.createKey('c')), missing('workspace: c does not exist.'));
    await t.rejects(office.listKeys('c'), missing('workspace: c does not exist.'));
    for (const id of ['key_1', 'key_0123456789012345678x', 'a\0'])
      await t.rejects(office.getKey(id), missing(`key: ${visible(id)} does not exist.`));
    const { entries } = await office.audit(100);
    t.equal(entries.length, 6);
    t.notMatch(JSON.stringify(entries), /dk_/);
    t.notMatch(JSON.stringify(entries), new RegExp(key.digest));
  });

  test(`${name}: a key is rolled once and revoked once`, options, async (t) => {
    const world = await open(t);
    const office = world.as('operator:::1');
    await office.change(CHANGES.createWorkspace('a'));
    const old = await office.change(CHANGES.createKey('a', '30'));
    const made = await office.change(CHANGES.rollKey(old.key.id));
    t.not(made.token, old.token);
    t.equal(made.key.workspace, 'a');
    t.equal(made.rolled.rolledTo, made.key.id);
    t.strictSame(await office.getKey(old.key.id), made.rolled);
    t.strictSame(await office.getKey(made.key.id), made.key);
    t.equal(keyState(made.rolled, { closed: null }, systemClock.now()), 'rolled');
    t.equal((made.rolled.expires as number) % DAY_MS, DAY_MS - 1, 'the end of a day');
    const again = `key: ${old.key.id} was already rolled to ${made.key.id}.`;
    await t.rejects(office.change(CHANGES.rollKey(old.key.id)), conflict(again));

    const revoked = await office.change(CHANGES.revokeKey(made.key.id));
    t.equal(keyState(revoked, { closed: null }, systemClock.now()), 'revoked');
    t.strictSame(await office.change(CHANGES.revokeKey(made.key.id)), revoked, 'again');
    const gone = (state: string, id: string) => `key: ${id} is ${state}; create a new one instead.`;
    await t.rejects(office.change(CHANGES.rollKey(made.key.id)), conflict(gone('revoked', made.key.id)));
    const { key: late } = await office.change(CHANGES.createKey('a', 'never'));
    await world.expire(late.id);
    await t.rejects(office.change(CHANGES.rollKey(late.id)), conflict(gone('expired', late.id)));
    const unknown = missing('key: key_1 does not exist.');
    await t.rejects(office.change(CHANGES.rollKey('key_1')), unknown);
    await t.rejects(office.change(CHANGES.revokeKey('key_1')), unknown);

    const { entries } = await office.audit(100);
    const told = entries.map(({ actor, action, key }) => ({ actor, action, key }));
    const actor = 'operator:::1';
    t.same(told.slice(0, 3), [
      { actor, action: 'key.create', key: late.id },
      { actor, action: 'key.revoke', key: made.key.id },
      { actor, action: 'key.roll', key: old.key.id },
    ]);
    t.strictSame(
      entries[2]?.changes.map(({ field }) => field),
      ['expires', 'rolled_to'],
    );
  });

  test(`${name}: workspaces and keys have names, which change`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    const longest = 'é'.repeat(NAME_CHARACTERS_MAX);
    t.match(await office.change(CHANGES.createWorkspace('a', 'Acme & Söhne')), { name: 'Acme & Söhne' });
    const before = await office.getWorkspace('a');
    const renamed = await office.change(CHANGES.changeWorkspace('a', { name: longest }));
    t.strictSame(renamed, { ...before, name: longest });
    t.strictSame(await office.getWorkspace('a'), renamed);
    t.not(versionOf(renamed), versionOf(before));
    const { key } = await office.change(CHANGES.createKey('a', 'never', 'billing'));
    t.equal(key.name, 'billing');
    const named = await office.change(CHANGES.renameKey(key.id, longest));
    t.strictSame(named, { ...key, name: longest });
    t.strictSame(await office.getKey(key.id), named);
    const { key: next } = await office.change(CHANGES.rollKey(key.id));
    t.equal(next.name, longest, 'a successor has the name');
    t.equal((await office.change(CHANGES.renameKey(next.id, null))).name, null);
    t.match((await office.audit(1)).entries, [
      { action: 'key.change', key: next.id, changes: [{ field: 'name', before: longest, after: null }] },
    ]);
    const entries = async () => (await office.audit(100)).entries.length;
    const count = await entries();
    await office.change(CHANGES.renameKey(next.id, null));
    t.equal(await entries(), count, 'nothing changes');
    for (const wrong of ['', `${longest}x`, ' x', 'x ', 'a\nb', 'a\0', 'a\u202eb', 'a\u2028b', '\ud800']) {
      const refused = { name: 'AccessError', argument: 'name', refusal: 'invalid' };
      await t.rejects(office.change(CHANGES.createWorkspace('b', wrong)), refused);
      await t.rejects(office.change(CHANGES.changeWorkspace('a', { name: wrong })), refused);
      await t.rejects(office.change(CHANGES.createKey('a', 'never', wrong)), refused);
      await t.rejects(office.change(CHANGES.renameKey(next.id, wrong)), refused);
    }
    await t.rejects(office.change(CHANGES.renameKey('key_1', 'x')), missing('key: key_1 does not exist.'));
    t.equal(await entries(), count);
  });

  test(`${name}: a workspace is closed and opened again`, options, async (t) => {
    const office = (await open(t)).as('cli:ann');
    const before = await office.change(CHANGES.createWorkspace('a'));
    const { key } = await office.change(CHANGES.createKey('a'));
    const closed = await office.change(CHANGES.closeWorkspace('a'));
    t.ok(Math.abs((closed.closed as number) - systemClock.now()) < NEAR_MS);
    t.strictSame(closed, { ...before, closed: closed.closed });
    t.strictSame(await office.getWorkspace('a'), closed);
    t.strictSame(await office.change(CHANGES.closeWorkspace('a')), closed, 'again changes nothing');
    t.equal(keyState(key, closed, systemClock.now()), 'closed');
    const refused = conflict('workspace: a is closed; reopen it first.');
    await t.rejects(office.change(CHANGES.createKey('a')), refused);
    await t.rejects(office.change(CHANGES.rollKey(key.id)), refused);
    // Books are still corrected, and keys named and revoked.
    t.equal((await office.change(CHANGES.grantCredit('a', 5n))).granted, 5n);
    await office.change(CHANGES.renameKey(key.id, 'x'));
    t.strictSame(await office.usage({ workspace: 'a' }), []);
    t.strictSame((await office.reconcile()).problems, []);
    const again = await office.change(CHANGES.reopenWorkspace('a'));
    t.strictSame(again, { ...before, granted: 5n });
    t.strictSame(await office.change(CHANGES.reopenWorkspace('a')), again);
    await office.change(CHANGES.rollKey(key.id));
    const { entries } = await office.audit(10);
    t.strictSame(
      entries.map(({ action }) => action),
      [
        'key.roll',
        'workspace.reopen',
        'key.change',
        'workspace.credit',
        'workspace.close',
        'key.create',
        'workspace.create',
      ],
    );
    await t.rejects(office.change(CHANGES.closeWorkspace('b')), missing('workspace: b does not exist.'));
    await t.rejects(office.change(CHANGES.reopenWorkspace('b')), missing('workspace: b does not exist.'));
  });

  test(`${name}: entries of the audit log have an actor and are read in pages`, options, async (t) => {
    const world = await open(t);
    await world.as('server').change(CHANGES.record({ action: 'settings.reload', after: { prices: 'b' } }));
    await world.as('cli:ann').change(CHANGES.createWorkspace('a'));
    const office = world.as('cli:bob');
    await office.change(CHANGES.createWorkspace('b'));
    await office.change(
      CHANGES.record({ action: 'settings.reload', before: { prices: 'b' }, after: { prices: 'b' } }),
    );
    await office.change(
      CHANGES.record({ action: 'settings.reload', before: { prices: null }, after: { prices: 'b' } }),
    );
    const numbers = async (...page: Parameters<typeof office.audit>) => {
      const { entries, more } = await office.audit(...page);
      return [entries.map(({ number, actor }) => `${number} ${actor}`), more];
    };
    const all = ['4 cli:bob', '3 cli:bob', '2 cli:ann', '1 server'];
    t.strictSame(await numbers(4), [all, false]);
    t.strictSame(await numbers(3), [all.slice(0, 3), true]);
    t.strictSame(await numbers(1, 3), [[all[2]], true]);
    t.strictSame(await numbers(2, 3), [all.slice(2), false]);
    t.strictSame(await numbers(100, undefined, 2), [all.slice(0, 2), false]);
    t.strictSame(await numbers(1, undefined, 2), [all.slice(0, 1), true]);
    t.strictSame(await numbers(9, undefined, undefined, { workspace: 'b' }), [['3 cli:bob'], false]);
    const reloads = { action: 'settings.reload' };
    t.strictSame(await numbers(1, undefined, undefined, reloads), [['4 cli:bob'], true]);
    t.strictSame(await numbers(1, 4, undefined, reloads), [['1 server'], false]);
    t.strictSame(await numbers(9, undefined, 1, reloads), [['4 cli:bob'], false]);
    t.strictSame(await numbers(9, undefined, undefined, { ...reloads, key: 'x' }), [[], false]);
  });
}
