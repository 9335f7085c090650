import type { Connection } from './connection.js';

/** Sends `count` requests; each connection sends the next one when it is answered. Returns the total milliseconds. */
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
 * Sends requests that arrive at random (exponential gaps), independently of earlier ones. Returns the milliseconds from
 * each arrival to the response, including the wait for a free connection, as in a client's queue.
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
      // The one idle longest: the server closes unused connections.
      const connection = free.shift() as Connection;
      connection.send(requests[sent % requests.length] as Buffer, () => {
        latencies.push(performance.now() - start - arrival);
        free.push(connection);
        if (latencies.length === arrivals.length) resolve(latencies);
        else sendDue();
      });
    };
    // A timer could be late by a millisecond.
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
