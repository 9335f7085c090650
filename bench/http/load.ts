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
