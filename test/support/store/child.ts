// A process beside the test: does to a data folder what each line of its standard input says, and answers with a line.
import { existsSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pause } from '../../../src/base/index.js';
import { serveAlone } from '../../../src/storage/data-folder/serving.js';
import { backUp, openStore, Sealer, type Store } from '../../../src/storage/folder/index.js';
import type { RawWrite } from '../../../src/storage/folder/lmdb/writes.js';

const row = (charged: number) => ({ charged: String(charged), month: '2026-01', monthCharged: '0' });

const COMMANDS: Record<string, (store: Store, ...args: string[]) => unknown> = {
  /** Puts a workspace's digest, as administration does. */
  change: (store, digest, key) =>
    store.change(() => store.table('digests').put([digest as string], key as string)),
  digest: (store, digest) => store.table('digests').get(digest as string),
  /** What a first start does before it makes a workspace. */
  seal: (store) => {
    serveAlone(store.folder);
    new Sealer(store, '');
    return 'sealed';
  },
  serve: (store) => {
    serveAlone(store.folder);
    return process.pid;
  },
  /** Writes so many accounts, from a number on. */
  write: async (store, from, count) => {
    const accounts = store.table('accounts');
    const writes: RawWrite[] = [];
    for (let at = Number(from); at < Number(from) + Number(count); at += 1) {
      writes.push(accounts.write([`w${String(at).padStart(8, '0')}`], row(at)));
    }
    await store.write(writes);
  },
  backUp: async (store, file) => (await backUp(store.folder, file as string, 0)).bytes,
  /** Keeps a read transaction open: answers, and never returns. */
  hold: (store) => {
    for (const _ of store.table('accounts').entries()) {
      writeSync(1, 'held\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
  },
  /** Answers in a change, which ends when the file exists. */
  lock: (store, file) =>
    store.change(() => {
      writeSync(1, 'locked\n');
      while (!existsSync(file as string)) pause();
    }),
  count: (store) => {
    // Otherwise the snapshot of the last count may still be in use.
    store.refresh();
    return [...store.table('accounts').entries()].length;
  },
};

const store = await attempt(() => openStore(process.argv[2] as string));
console.log(store instanceof Error ? `${store.name}: ${store.message}` : 'open');
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = line.split(' ');
  const answer = await attempt(async () => COMMANDS[name as string]?.(store as Store, ...args));
  console.log(answer instanceof Error ? `${answer.name}: ${answer.message}` : String(answer));
}
// The environment is not closed: what is acknowledged is on the disk without that.
process.exit();

async function attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | Error> {
  try {
    return await work();
  } catch (error) {
    return error as Error;
  }
}
