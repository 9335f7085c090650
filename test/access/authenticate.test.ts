import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { DEFAULT_LIFETIME_DAYS } from '../../src/access/keys.js';
import { createKey, revokeKey } from '../support/access/folder-changes.js';
import { opened, thrown } from '../support/access/opened.js';

test('contract 5 rule 1: exactly one header with a bearer token', async (t) => {
  const { access, workspace } = opened(t);
  const { key, token } = workspace('acme', 0n);
  for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`]) {
    t.equal(access.authenticate([header]).key.id, key.id, header.slice(0, 10));
  }
  for (const headers of [
    [],
    [''],
    [token],
    ['Bearer'],
    ['Bearer '],
    [`Bearer${token}`],
    [`Basic ${token}`],
    [`Bearer ${token} ${token}`],
    [`Bearer ${token} `],
    [` Bearer ${token}`],
    [`Bearer "${token}"`],
    [`Bearer ${token}`, `Bearer ${token}`],
    [`Bearer ${token}`, ''],
  ]) {
    t.equal(
      thrown(() => access.authenticate(headers)),
      'unauthorized',
      JSON.stringify(headers).replaceAll(token, '<token>'),
    );
  }
});

test('a token that is almost valid is refused', async (t) => {
  const { caller, workspace } = opened(t);
  const { key, token } = workspace('acme', 0n);
  t.match(token, /^dk_[A-Za-z0-9]{40}$/);
  const last = token.endsWith('a') ? 'b' : 'a';
  for (const wrong of [
    token.slice(0, -1),
    `${token}a`,
    token.slice(0, -1) + last,
    token.slice(3),
    `DK_${token.slice(3)}`,
    token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(),
    `${token.slice(0, -1)}é`,
    `${token.slice(0, -1)}-`,
    `dk_${'a'.repeat(40)}`,
    `dk_${'a'.repeat(100_000)}`,
    key.id,
    key.digest,
    `dk_${key.digest.slice(0, 40)}`,
  ]) {
    t.equal(
      thrown(() => caller(wrong)),
      'unauthorized',
    );
  }
  t.equal(caller(token).key.id, key.id);
});

test('a token is stored as its SHA-256 and nowhere else', async (t) => {
  const { access, store, workspace } = opened(t);
  const { key, token } = workspace('acme', 0n);
  t.equal(key.digest, createHash('sha256').update(token).digest('hex'));
  access.authenticate([`Bearer ${token}`]);
  const file = readFileSync(join(store.folder, 'store', 'data.mdb'));
  t.ok(file.includes(key.digest));
  t.notOk(file.includes(token.slice(3)));
});

test('the key found by a digest must have that digest', async (t) => {
  const { caller, store, workspace } = opened(t);
  const one = workspace('acme', 0n);
  const other = workspace('other', 0n);
  store.change(() => store.table('digests').put([one.key.digest], other.key.id));
  t.equal(
    thrown(() => caller(one.token)),
    'unauthorized',
    'a damaged index opens no other key',
  );
  t.equal(caller(other.token).workspace.id, 'other');
  store.change(() => store.table('digests').put([one.key.digest], 'key_gone'));
  t.equal(
    thrown(() => caller(one.token)),
    'unauthorized',
  );
});

test('a key works to the last millisecond of its time, and no longer', async (t) => {
  const { caller, clock, store, workspace } = opened(t);
  workspace('acme', 0n);
  const short = createKey(store, clock, 'acme', clock.now() + 1);
  const usual = createKey(store, clock, 'acme');
  const never = createKey(store, clock, 'acme', null);
  clock.advance(1);
  t.equal(caller(short.token).key.id, short.key.id);
  clock.advance(1);
  t.throws(() => caller(short.token), { type: 'unauthorized', message: 'The key is expired.' });
  const lifetimeMs = DEFAULT_LIFETIME_DAYS * 24 * 60 * 60 * 1_000;
  clock.advance(lifetimeMs - 2);
  t.equal(caller(usual.token).key.id, usual.key.id);
  clock.advance(1);
  t.throws(() => caller(usual.token), { type: 'unauthorized', message: 'The key is expired.' });
  clock.advance(1_000 * lifetimeMs);
  t.equal(caller(never.token).key.id, never.key.id);
});

test('a revoked key stops at once and permanently, whatever is cached', async (t) => {
  const { caller, clock, store, workspace } = opened(t);
  const { key, token } = workspace('acme', 0n);
  for (let round = 0; round < 3; round += 1) caller(token);
  revokeKey(store, clock, key.id);
  t.throws(() => caller(token), { type: 'unauthorized', message: 'The key is revoked.' });
  clock.set(0);
  t.equal(
    thrown(() => caller(token)),
    'unauthorized',
    'a clock that is set back does not open it',
  );
});
