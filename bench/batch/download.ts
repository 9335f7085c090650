import type { WatchedServer } from '../loop/server.js';
import { Client } from './client.js';

export interface Downloaded {
  readonly lines: number;
  readonly bytes: number;
  readonly ms: number;
  /** The largest growth of the server's own memory during the download, in bytes. */
  readonly grown: number;
  readonly pauseMs: number;
}

/** Runs a batch to its end, then downloads its results. */
export async function measureDownload(server: WatchedServer, file: Buffer): Promise<Downloaded> {
  const client = await Client.open(server);
  const { id } = await client.submit(file);
  await client.finished(id);
  client.close();
  const before = (await server.delay()).memory.own;
  const started = performance.now();
  let bytes = 0;
  let lines = 0;
  for await (const piece of await client.results(id)) {
    bytes += piece.length;
    for (const byte of piece) if (byte === 10) lines += 1;
  }
  const ms = performance.now() - started;
  const { memory, max } = await server.delay();
  return { lines, bytes, ms, grown: Math.max(0, memory.own - before), pauseMs: max };
}
