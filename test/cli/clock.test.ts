import { test } from 'tap';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { writeKeptTime } from '../../src/storage/folder/lmdb/kept-time.js';
import { books } from '../support/books.js';
import { decider } from '../support/cli.js';

const DAY_MS = 24 * 3_600_000;

test('clock glitches: beside a server a command writes the server’s time, where the system’s is far off', async (t) => {
  const { data, store } = books(t);
  // In processes of their own, to which this one is the server.
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await decider(t, [...args, '--json'], { DECIDER_DATA: data }).end();
    t.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const now = Date.now();
  const keep = (shown: number) => store.write([writeKeptTime(store, { shown, certain: shown })]);
  const madeAt = async () => {
    const { id } = await json('keys', 'create', '--workspace', 'w', '--expires', '10');
    return store.table('keys').get(id)?.created ?? 0;
  };
  await json('workspaces', 'create', 'w');
  await keep(now - 40 * DAY_MS);
  const off = (created: number, from: number) => Math.abs(created - from) < DAY_MS;
  t.ok(off(await madeAt(), now), 'no server uses the folder: the time of the system');
  const leave = serveAlone(data);
  t.teardown(leave);
  t.ok(off(await madeAt(), now - 40 * DAY_MS));
  await keep(now + 40 * DAY_MS);
  t.ok(off(await madeAt(), now + 40 * DAY_MS));
  const [{ created, state }] = await json('keys', 'list');
  t.ok(off(Date.parse(created), now - 40 * DAY_MS));
  t.equal(state, 'expired', 'states are told by it too');
  await keep(Date.now() - 30_000);
  t.ok(Math.abs((await madeAt()) - Date.now()) < 30_000, 'one that is near: the system’s');
});
