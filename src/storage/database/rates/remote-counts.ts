import type { KeyCount, NodeCount } from './rate-rows.js';

/** Finds what is new among the counts of other nodes, which are read repeatedly and grow. */
export class RemoteCounts {
  /** The counts of the last reading. */
  private seen = new Map<string, KeyCount>();

  /** What was added since the last reading. */
  added(read: readonly NodeCount[]): KeyCount[] {
    const before = this.seen;
    this.seen = new Map(read.map((count) => [nameOf(count), count]));
    return read
      .map((count) => {
        const known = before.get(nameOf(count));
        const requests = count.requests - (known?.requests ?? 0);
        return { key: count.key, requests, bytes: count.bytes - (known?.bytes ?? 0) };
      })
      .filter(({ requests }) => requests > 0);
  }
}

const nameOf = ({ key, node, second }: NodeCount) => `${key}\0${node}\0${second}`;
