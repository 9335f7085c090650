import { test } from 'tap';
import { CHANGES, readGrant } from '../../src/access/index.js';
import { checkName, NAME_CHARACTERS_MAX } from '../../src/access/names.js';
import { MODEL_NAME_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from '../../src/access/workspace-changes.js';
import { visible } from '../../src/base/index.js';
import { makeChange } from '../../src/storage/folder/administration/change.js';
import {
  findWorkspace,
  getKey,
  getWorkspace,
  listKeys,
  listWorkspaces,
} from '../../src/storage/folder/administration/rows.js';
import { openStore } from '../../src/storage/folder/index.js';
import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
} from '../support/access/folder-changes.js';
import { opened } from '../support/access/opened.js';

test('createWorkspace: ids of 1 to 64 letters, digits, _ and -, with a letter or digit at both ends', async (t) => {
  const { clock, store } = opened(t);
  const ids = ['a', '0', 'a-b_c', 'a--b', 'x'.repeat(64)];
  for (const id of ids) t.equal(createWorkspace(store, clock, id).id, id);
  for (const id of ['', '-', 'a-', '_a', 'A', 'é', 'a b', 'a.b', 'a\0', 'a\n', 'a/b', 'x'.repeat(65)]) {
    const refused = { name: 'AccessError', message: /^workspace: ".*" is not 1 to 64 /s };
    t.throws(() => createWorkspace(store, clock, id), refused, JSON.stringify(id));
    t.equal(findWorkspace(store, id), undefined);
    t.throws(() => getWorkspace(store, id), {
      name: 'AccessError',
      message: /^workspace: .* does not exist/s,
    });
  }
  t.throws(() => createWorkspace(store, clock, 'a'), {
    name: 'AccessError',
    message: 'workspace: a already exists.',
  });
  t.strictSame(
    listWorkspaces(store).map(({ id }) => id),
    [...ids].sort(),
  );
});

test('amounts of any size are the same after they were stored', async (t) => {
  const { clock, store } = opened(t);
  createWorkspace(store, clock, 'acme');
  const large = 10n ** 27n - 1n;
  let granted = 0n;
  for (const amount of [1n, large, -large, 9_007_199_254_740_993n, -2n]) {
    granted += amount;
    t.equal(grantCredit(store, clock, 'acme', amount).granted, granted);
  }
  changeWorkspace(store, clock, 'acme', { budget: large });
  const other = openStore(store.folder);
  t.teardown(() => other.close());
  t.match(getWorkspace(other, 'acme'), { granted, budget: large, created: clock.now(), models: null });
  const grants = [...other.table('grants').entries('acme')].map(({ value }) => value.amount);
  t.strictSame(grants, ['1', String(large), String(-large), '9007199254740993', '-2']);
});

test('a change sets what it names and leaves the rest; a refused one changes nothing', async (t) => {
  const { clock, store } = opened(t);
  createWorkspace(store, clock, 'acme');
  grantCredit(store, clock, 'acme', 5n);
  changeWorkspace(store, clock, 'acme', { budget: 0n, models: ['a'] });
  changeWorkspace(store, clock, 'acme', { requestsPerMinute: 7 });
  const before = getWorkspace(store, 'acme');
  t.match(before, { granted: 5n, budget: 0n, models: ['a'], requestsPerMinute: 7, bytesPerMinute: 2 ** 28 });
  const changes = store.changes();
  t.throws(() => changeWorkspace(store, clock, 'acme', { budget: -1n }), {
    message: 'budget: it cannot be negative.',
  });
  t.throws(() => changeWorkspace(store, clock, 'acme', { models: null, bytesPerMinute: 0 }), {
    name: 'AccessError',
  });
  t.throws(() => changeWorkspace(store, clock, 'unknown', { models: null }), { name: 'AccessError' });
  t.throws(() => grantCredit(store, clock, 'unknown', 1n), { name: 'AccessError' });
  t.throws(() => readGrant('-0.00'), { message: 'amount: it cannot be 0.' });
  for (const name of [
    '',
    'a b',
    'a,b',
    'a\u001b',
    'é',
    '-a',
    'all',
    'a'.repeat(MODEL_NAME_CHARACTERS_MAX + 1),
  ]) {
    t.throws(() => changeWorkspace(store, clock, 'acme', { models: ['a', name] }), { message: /^models: / });
  }
  t.strictSame(getWorkspace(store, 'acme'), before);
  t.equal(store.changes(), changes);
  const longest = `a${'/'.repeat(MODEL_NAME_CHARACTERS_MAX - 1)}`;
  t.match(changeWorkspace(store, clock, 'acme', { models: ['A.1_b:c@d+e-f', longest] }).models, {
    length: 2,
  });
});

test('a name and a reason have as many characters as documented, also outside of the first plane', async (t) => {
  const { clock, store } = opened(t);
  createWorkspace(store, clock, 'acme');
  const grant = (reason: string) => makeChange(store, clock, CHANGES.grantCredit('acme', 1n, { reason }));
  for (const character of ['n', '😀']) {
    checkName(character.repeat(NAME_CHARACTERS_MAX));
    t.throws(() => checkName(character.repeat(NAME_CHARACTERS_MAX + 1)), {
      message: /of 1 to 64 characters/,
    });
    grant(character.repeat(REASON_CHARACTERS_MAX));
    const refused = { message: /of 1 to 200 characters/ };
    t.throws(() => grant(character.repeat(REASON_CHARACTERS_MAX + 1)), refused);
  }
  t.equal(getWorkspace(store, 'acme').granted, 2n);
});

test('keys are listed by the time at which they were made, of one workspace or of all', async (t) => {
  const { clock, store } = opened(t);
  for (const id of ['acme', 'other']) createWorkspace(store, clock, id);
  const made = ['acme', 'other', 'acme', 'other', 'acme'].map((workspace) => {
    clock.advance(1);
    return createKey(store, clock, workspace).key;
  });
  t.strictSame(listKeys(store), made);
  t.strictSame(
    listKeys(store, 'acme'),
    made.filter(({ workspace }) => workspace === 'acme'),
  );
  t.strictSame(listKeys(store, 'unknown'), []);
  for (const id of ['', 'key_', 'key_x', made[0]?.id.slice(1) as string, `${made[0]?.id}0`, 'a\0b']) {
    t.throws(() => getKey(store, id), {
      name: 'AccessError',
      message: `key: ${visible(id)} does not exist.`,
    });
  }
});
