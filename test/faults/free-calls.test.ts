// Free calls of one key delay no other key. The comments of the test say how long the other caller waited, and how long
// the event loop was busy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Test, test } from 'tap';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { DOWNLOADS_MAX } from '../../src/http/downloads.js';
import { openStore, Sealer } from '../../src/storage/folder/index.js';
import { createKey } from '../support/access/folder-changes.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { scaled } from '../support/scale.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { storeFinishedBatches } from '../support/stored-batches.js';
import { watchTurns } from '../support/turn-watch.js';

/** What one key may collect at one time, and how often each. */
const DOWNLOADERS = DOWNLOADS_MAX.key;
const DOWNLOADS = scaled({ short: 2 * DOWNLOADERS, long: 4 * DOWNLOADERS }, 'DOWNLOADS');
const DOWNLOADED_LINES = 1_280;
const LISTED = scaled({ short: 400, long: 1_000 }, 'LISTED');
const LISTERS = 8;
const LISTS_OF_EACH = 3;
const RESULT_BYTES = 300;
/** Answers that the other caller gets while the calls go on. */
const ANSWERED_MIN = 100;

/** A server, and two keys whose batches have finished. */
async function start(t: Test, transport: string, batches: number, lines: number) {
  const data = dataFolder(t);
  const server = await startTestServer(t, { DECIDER_DATA: data, DECIDER_HTTP_TRANSPORT: transport });
  const store = openStore(data);
  t.teardown(() => store.close());
  const sealer = new Sealer(store, '');
  const made = [];
  for (const count of [batches, 1]) {
    const { key, token } = createKey(store, systemClock, DEFAULT_WORKSPACE);
    const ids = await storeFinishedBatches(store, sealer, {
      key: key.id,
      workspace: DEFAULT_WORKSPACE,
      count,
      lines,
      resultBytes: RESULT_BYTES,
      now: systemClock.now(),
    });
    made.push({ token, ids, url: `${server.url}/v1/batches` });
  }
  const [busy, other] = made as [(typeof made)[0], (typeof made)[0]];
  return { busy, other };
}

/** Calls from a process of its own; resolves with what it printed. */
function callOften(url: string, token: string, connections: number, calls: number) {
  const file = new URL('../support/faults/calling-child.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [file, url, token, String(connections), String(calls)]);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  // `exit` may come before the last output.
  const ended = once(child, 'close').then(
    () => JSON.parse(text.split('\n')[1] as string) as { statuses: object; bytes: number },
  );
  return { started: once(child.stdout, 'data'), ended, end: () => child.kill() };
}

/** Asks one after the other until `calls` end; how long each answer took, in milliseconds. */
async function askMeanwhile(url: string, token: string, calls: Promise<unknown>): Promise<number[]> {
  let over = false;
  void calls.finally(() => {
    over = true;
  });
  const waits: number[] = [];
  while (!over) {
    const begun = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (!over) waits.push(performance.now() - begun);
  }
  return waits;
}

function tell(
  t: Test,
  waits: readonly number[],
  loop: ReturnType<ReturnType<typeof watchTurns>['stop']>,
): void {
  const sorted = [...waits].sort((one, other) => one - other);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  t.comment(
    `the other caller: ${waits.length} answers, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, most ${at(1)} ms; ` +
      `the event loop was busy for ${loop.most.toFixed(1)} ms at most, ${loop.over20} times for more than 20 ms`,
  );
}

for (const transport of TRANSPORTS) {
  test(`${DOWNLOADS} downloads of one key, ${DOWNLOADERS} at a time, do not delay other keys (${transport})`, async (t) => {
    const { busy, other } = await start(t, transport, 1, DOWNLOADED_LINES);
    const loop = watchTurns();
    const calls = callOften(
      `${busy.url}/${busy.ids[0]}/results`,
      busy.token,
      DOWNLOADERS,
      DOWNLOADS / DOWNLOADERS,
    );
    t.teardown(calls.end);
    await calls.started;
    // Of another key: its own results, however many the first one wants.
    const own = fetch(`${other.url}/${other.ids[0]}/results`, {
      headers: { authorization: `Bearer ${other.token}` },
    }).then((response) => response.text());
    const order: string[] = [];
    void own.then(() => order.push('own'));
    void calls.ended.then(() => order.push('all'));
    const waits = await askMeanwhile(`${other.url}/${other.ids[0]}`, other.token, calls.ended);
    tell(t, waits, loop.stop());
    t.strictSame(order[0], 'own', 'another key’s download ends before them');
    t.equal((await own).split('\n').length, DOWNLOADED_LINES + 1);
    const { statuses, bytes } = await calls.ended;
    t.strictSame(statuses, { 200: DOWNLOADS });
    t.equal(bytes, DOWNLOADS * Buffer.byteLength(await own), 'and every one of them is whole');
    t.ok(waits.length >= ANSWERED_MIN, `${waits.length} answers meanwhile`);
  });
}

test(`lists of ${LISTED} batches do not delay other keys`, async (t) => {
  const { busy, other } = await start(t, 'auto', LISTED, 1);
  const loop = watchTurns();
  const calls = callOften(busy.url, busy.token, LISTERS, LISTS_OF_EACH);
  t.teardown(calls.end);
  await calls.started;
  const waits = await askMeanwhile(`${other.url}/${other.ids[0]}`, other.token, calls.ended);
  tell(t, waits, loop.stop());
  t.strictSame((await calls.ended).statuses, { 200: LISTERS * LISTS_OF_EACH });
  t.ok(waits.length >= ANSWERED_MIN, `${waits.length} answers meanwhile`);
});
