import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { freeBlock } from '../../src/batch/ingest/blocks.js';
import { readManifest } from '../../src/engine/index.js';
import { BatchFiles } from '../../src/server/batch-files.js';
import { fileOwner } from '../support/batch/ingest.js';
import { modelsFolder } from '../support/server.js';

/** So large that its parts are shared with other threads, in a block. */
const FILE = Buffer.from(
  Array.from({ length: 40 }, (_, at) =>
    JSON.stringify({
      custom_id: `l${at}`,
      model: 'tiny',
      state: 'x'.repeat(64 * 1024),
      questions: { q: { type: 'noul' } },
    }),
  ).join('\n'),
);

test('the result of a file whose client has left is returned, so that its memory can be freed', async (t) => {
  const models = modelsFolder(t.testdir());
  const manifest = await readManifest(models);
  const files = new BatchFiles(() => manifest, models);
  t.teardown(() => files.close());
  const task = () => ({
    file: FILE,
    encoding: 'identity' as const,
    allowedModels: null,
    tasks: null,
    batch: 'batch_1',
    dataKey: randomBytes(32),
    ...fileOwner(),
  });
  const client = new AbortController();
  const reading = files.ingest(task(), client.signal);
  client.abort('gone');
  const left = await reading;
  t.ok(left.ok && left.block !== undefined, JSON.stringify(left));
  if (left.ok) freeBlock(left.block);
  await t.rejects(
    files.ingest(task(), client.signal).catch((reason) => Promise.reject(new Error(reason))),
    {
      message: 'gone',
    },
  );
});
