import type { Connection } from './connection.js';

/** Sends `count` requests, each connection its next as soon as it has an answer. Returns milliseconds in all. */
export async function closedLoop(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  count: number,
): Promise<number> {
  let left = count;
  const start = performance.now();
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const next = () => {
            if (left === 0) return resolve();
            left -= 1;
            connection.send(requests[left % requests.length] as Buffer, next);
          };
          next();
        }),
    ),
  );
  return performance.now() - start;
}

/**
 * Requests that arrive at random (exponential gaps), whatever becomes of those before them. Returns the
 * milliseconds from each one's arrival to its answer: one that waits for a free connection waits as it would
 * in a client's queue.
 */
export async function openLoop(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const free = [...connections];
  const arrivals = poisson(perSecond, seconds * 1_000);
  const latencies: number[] = [];
  const start = performance.now();
  let sent = 0;
  return new Promise((resolve) => {
    const sendDue = () => {
      const now = performance.now() - start;
      while (sent < arrivals.length && (arrivals[sent] as number) <= now && free.length > 0) {
        send(arrivals[sent] as number);
        sent += 1;
      }
    };
    const send = (arrival: number) => {
      // The one that waited longest: a server closes those that are not used.
      const connection = free.shift() as Connection;
      connection.send(requests[sent % requests.length] as Buffer, () => {
        latencies.push(performance.now() - start - arrival);
        free.push(connection);
        if (latencies.length === arrivals.length) resolve(latencies);
        else sendDue();
      });
    };
    // A timer would be late by up to a millisecond.
    const tick = () => {
      sendDue();
      if (sent < arrivals.length) setImmediate(tick);
    };
    tick();
  });
}

function poisson(perSecond: number, milliseconds: number): number[] {
  const times: number[] = [];
  for (let at = 0; ; ) {
    at -= (Math.log(1 - Math.random()) / perSecond) * 1_000;
    if (at > milliseconds && times.length > 0) return times;
    times.push(at);
  }
}
