import { connect } from 'node:net';
import { test } from 'tap';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { mean, retainedBytes } from '../support/memory.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder, testDependencies } from '../support/server.js';

/** On each transport. */
const REQUESTS = scaled({ short: 300, long: 800 }, 'REQUESTS');
const CONNECTIONS = 128;
const ANSWERS_PER_END = 200;
/** Different bodies, so that every answer can be told from the others. */
const KINDS = 40;
const TOLERANCE = 1e-3;
/** Requests between two readings of the memory. */
const READING_EVERY = 25;
/**
 * By how much the mean of the last quarter may exceed that of the third. What is in flight moves it by a few
 * MiB; of 625 requests that each kept their body, plan or connection buffer (64 KiB), 40 MiB would remain.
 */
const GROWTH_BYTES_MAX = 16 * 2 ** 20;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends one request over a connection of its own, perhaps slowly, perhaps only half. Null: it was aborted. */
function send(
  { port, token }: { port: number; token: string },
  body: string,
  how: 'whole' | 'slow' | 'aborted',
): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const head = `POST /v1/decide HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      received += text;
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
      if (end < 0 || Buffer.byteLength(received.slice(end + 4)) < length) return;
      resolve({ status: Number(received.slice(9, 12)), body: received.slice(end + 4) });
      socket.destroy();
    });
    socket.on('close', () =>
      how === 'aborted' ? resolve(null) : reject(new Error('closed without an answer')),
    );
    socket.on('error', (error) => (how === 'aborted' ? resolve(null) : reject(error)));
    socket.on('connect', () => {
      if (how === 'whole') socket.write(head + body);
      else {
        socket.write(head);
        const half = Math.floor(body.length / 2);
        setImmediate(() => socket.write(body.slice(0, half)));
        setTimeout(() => (how === 'aborted' ? socket.destroy() : socket.write(body.slice(half))), 30);
      }
    });
  });
}

const bodyOf = (kind: number) =>
  JSON.stringify({
    state: `case ${kind % 7}: ${'the parcel was lost '.repeat(kind % 11)}`,
    questions: Object.fromEntries(
      Array.from({ length: 1 + (kind % 3) }, (_, i) => [
        `q${kind}-${i}`,
        { type: 'choice', instructions: `Which team? ${kind}`, criteria: ['a', 'b', 'c'] },
      ]),
    ),
  });

/** The probabilities of an answer, in order, behind its questions' names. */
function reading(body: string): { names: string; numbers: number[] } {
  const { answers } = JSON.parse(body) as {
    answers: Record<string, { probabilities: Record<string, number> }>;
  };
  return {
    names: Object.keys(answers).join(),
    numbers: Object.values(answers).flatMap(({ probabilities }) => Object.values(probabilities)),
  };
}

for (const transport of TRANSPORTS) {
  test(`${REQUESTS} requests at ${CONNECTIONS} connections, 10 % aborted, 5 % slow, the engine thread ended every ${ANSWERS_PER_END} answers (${transport})`, async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const next = random(seed);
    const environment = {
      DECIDER_PORT: '0',
      DECIDER_MODELS: modelsFolder(t.testdir()),
      DECIDER_DATA: dataFolder(t),
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_ENGINE_THREADS: '1',
      DECIDER_ENGINE_MEMORY_CHECK: 'false',
      DECIDER_ENGINE_QUEUE: '128',
      DECIDER_HTTP_TRANSPORT: transport,
    };
    const { told, dependencies } = testDependencies();
    const server = await startServer(loadSettings(environment, undefined), dependencies);
    t.teardown(() => server.stop());
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    t.teardown(() => process.off('unhandledRejection', onUnhandled));

    const to = { port: Number(new URL(server.url).port), token: told.token };
    const bodies = Array.from({ length: KINDS }, (_, kind) => bodyOf(kind));
    const alone: Array<ReturnType<typeof reading>> = [];
    for (const body of bodies) alone.push(reading((await send(to, body, 'whole'))?.body ?? ''));

    const counts = { answered: 0, aborted: 0, overloaded: 0, failed: 0 };
    const readings: number[] = [];
    let worst = 0;
    let sent = 0;
    const inFlight = new Set<symbol>();
    let lost = new Set<symbol>();
    let nextEnd = ANSWERS_PER_END;
    /** Ends the engine thread again only when the requests that it may have lost are answered: twice lost is 500. */
    const endEngineThread = () => {
      if (counts.answered < nextEnd || [...lost].some((each) => inFlight.has(each))) return;
      nextEnd = counts.answered + ANSWERS_PER_END;
      lost = new Set(inFlight);
      void server.engines.workers[0]?.terminate();
    };
    const client = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        if (sent % READING_EVERY === 0) readings.push(retainedBytes());
        const kind = next.integer(KINDS);
        const dice = next.integer(100);
        const how = dice < 10 ? 'aborted' : dice < 15 ? 'slow' : 'whole';
        const request = Symbol();
        inFlight.add(request);
        const answer = await send(to, bodies[kind] as string, how);
        inFlight.delete(request);
        if (answer === null) counts.aborted += 1;
        else if (answer.status === 503) counts.overloaded += 1;
        else if (answer.status !== 200) counts.failed += 1;
        else {
          counts.answered += 1;
          endEngineThread();
          const [found, expected] = [reading(answer.body), alone[kind] as (typeof alone)[number]];
          if (found.names !== expected.names) t.fail('another request’s answer');
          found.numbers.forEach((p, i) => {
            worst = Math.max(worst, Math.abs(p - (expected.numbers[i] as number)));
          });
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    t.comment(JSON.stringify({ ...counts, worst }));
    const quarter = readings.length / 4;
    const growth = mean(readings.slice(3 * quarter)) - mean(readings.slice(2 * quarter, 3 * quarter));
    t.ok(growth <= GROWTH_BYTES_MAX, `the last quarter holds ${Math.round(growth / 1024)} KiB more`);
    t.equal(counts.failed, 0, 'a 200, or a 503 of the table');
    t.ok(counts.answered > REQUESTS / 4);
    // Rounding to four decimals adds 1e-4.
    t.ok(worst <= TOLERANCE + 1e-4, `largest |Δp| ${worst}`);
    t.strictSame(unhandled, []);
    const after = await send(to, bodies[0] as string, 'whole');
    t.equal(after?.status, 200);
  });
}
