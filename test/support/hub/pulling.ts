import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { HubConnection } from '../../../src/hub/connection.js';
import { partPath } from '../../../src/hub/part-file.js';
import { downloadSelection, type Selection, select } from '../../../src/hub/pull.js';
import { parseReference } from '../../../src/hub/reference.js';
import { random } from '../random.js';
import { PATIENCE_MS } from '../until.js';
import { HubStub, sha256 } from './stub.js';

export const SIZE = 300_000;
const contents = (seed: number, size = SIZE) => {
  const { integer } = random(seed);
  return Buffer.from(Uint8Array.from({ length: size }, () => integer(256)));
};
export const MODEL = contents(1);
const COMMIT = '0123456789ab';

/** A stub with one model, and a client whose waits take no time. */
export async function pulling(
  t: Test,
  options: {
    token?: string;
    hubToken?: string;
    timeoutMs?: number;
    folder?: string;
  } = {},
) {
  const files = { 'README.md': Buffer.from('x'), 'model-Q8_0.gguf': MODEL };
  const stub = await HubStub.start(t, {
    'o/r': {
      files,
      ...(options.token && { token: options.token }),
    },
  });
  const folder = options.folder ?? join(t.testdir({}), 'models');
  const stop = new AbortController();
  const settings = {
    endpoint: stub.url,
    token: options.hubToken ?? null,
    timeoutMs: options.timeoutMs ?? PATIENCE_MS,
  };
  const hub = new HubConnection(settings, stop.signal);
  t.teardown(() => hub.close());
  const waits: number[] = [];
  const notices: string[] = [];
  const timing = {
    wait: async (ms: number) => {
      waits.push(ms);
    },
    random: () => 0.5,
  };
  const context = {
    hub,
    signal: stop.signal,
    notice: (sentence: string) => void notices.push(sentence),
    timing,
  };
  const selection = () => select(parseReference('hf:o/r'), undefined, context);
  const totals = { disk: 0, network: 0 };
  const fetchAll = async (selected: Selection, free?: () => number) => {
    await downloadSelection(
      selected,
      folder,
      context,
      ({ done }) => {
        totals.disk = done;
      },
      { monotonic: () => 0 },
      free,
    );
  };
  const pull = async (free?: () => number) => fetchAll(await selection(), free);
  const target = join(folder, 'o', 'r', COMMIT, 'model-Q8_0.gguf');
  const part = partPath(folder, sha256(MODEL));
  return { stub, stop, folder, target, part, waits, notices, selection, fetchAll, pull, totals };
}

/** Nothing is left but the file. */
export function isComplete(t: Test, { target, part }: { target: string; part: string }) {
  t.equal(sha256(readFileSync(target)), sha256(MODEL));
  t.notOk(existsSync(part), 'no part is left');
}
