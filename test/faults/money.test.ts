import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { listWorkspaces } from '../../src/storage/folder/administration/rows.js';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
  revokeKey,
} from '../support/access/folder-changes.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, startTestServer } from '../support/server.js';

const REQUESTS = scaled({ short: 400, long: 5_000 });
const CONCURRENT = 64;
const WORKSPACES = 5;
const KEYS = 20;
/** One in so many requests is preceded by a change of someone's money, limits or keys. */
const CHANGE_EVERY = 40;

test(`${REQUESTS} requests of ${KEYS} keys in ${WORKSPACES} workspaces, whose credit changes meanwhile: the ledger adds up`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const data = dataFolder(t);
  const server = await startTestServer(t, { DECIDER_DATA: data });
  const store = openStore(data);
  const workspaces = Array.from({ length: WORKSPACES }, (_, i) => `w${i}`);
  const [poor, ...others] = workspaces as [string, ...string[]];
  for (const id of workspaces) {
    createWorkspace(store, systemClock, id);
    changeWorkspace(store, systemClock, id, { requestsPerMinute: 1_000_000 });
    // Too little for all of its requests. The first gets a third, and nothing later: some of its requests are refused.
    grantCredit(store, systemClock, id, BigInt(REQUESTS) * (id === poor ? 2_000n : 6_000n));
  }
  const keys = Array.from({ length: KEYS }, (_, i) =>
    createKey(store, systemClock, workspaces[i % WORKSPACES] as string),
  );
  const answered = new Map<string, number>();
  const statuses = new Map<number, number>();

  const change = () => {
    const workspace = next.pick(workspaces);
    const kind = next.integer(8);
    if (kind < 5) grantCredit(store, systemClock, next.pick(others), BigInt(next.integer(10 ** 7)));
    else if (kind === 5)
      changeWorkspace(store, systemClock, workspace, { budget: BigInt(next.integer(10 ** 9)) });
    else if (kind === 6) changeWorkspace(store, systemClock, workspace, { budget: null });
    else {
      const at = next.integer(KEYS);
      revokeKey(store, systemClock, (keys[at] as (typeof keys)[number]).key.id);
      keys[at] = createKey(store, systemClock, workspaces[at % WORKSPACES] as string);
    }
  };
  let sent = 0;
  const client = async () => {
    while (sent < REQUESTS) {
      sent += 1;
      if (next.integer(CHANGE_EVERY) === 0) change();
      const { key, token } = next.pick(keys);
      const response = await fetch(`${server.url}/v1/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          state: 'x'.repeat(next.integer(20)),
          questions: { q: { type: 'choice', criteria: ['a', 'b'] } },
        }),
      });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const { usage } = (await response.json()) as { usage?: { input_tokens: number } };
      if (usage !== undefined) answered.set(key.id, (answered.get(key.id) ?? 0) + usage.input_tokens);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, client));
  await server.stop();

  t.comment(JSON.stringify(Object.fromEntries(statuses)));
  t.strictSame(
    [...statuses.keys()].filter((status) => ![200, 401, 402].includes(status)),
    [],
  );
  t.ok((statuses.get(200) ?? 0) > REQUESTS / 10, 'some are answered');
  t.ok((statuses.get(402) ?? 0) > 0, 'some are refused');
  const { books, problems } = reconcile(store);
  t.strictSame(problems, []);
  for (const { balance, workspace } of books) t.ok(balance >= 0n, `${workspace} is not overdrawn`);
  const counted = new Map<string, number>();
  for (const { id } of listWorkspaces(store)) {
    for (const { key, value } of store.table('usage').entries(id)) {
      const name = String(key[2]);
      counted.set(name, (counted.get(name) ?? 0) + value.inputTokens);
    }
  }
  t.strictSame(
    new Map([...counted].sort()),
    new Map([...answered].sort()),
    'counters are the answers’ usage',
  );
});
