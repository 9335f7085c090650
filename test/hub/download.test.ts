import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { lockFile } from '../../src/base/index.js';
import { FAILURES_MAX } from '../../src/hub/retry.js';
import { isComplete, MODEL, pulling, SIZE } from '../support/hub/pulling.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

test('a download is complete and verified', async (t) => {
  const pulled = await pulling(t);
  await pulled.pull();
  isComplete(t, pulled);
  t.equal(pulled.totals.disk, SIZE);
  await pulled.pull();
  t.equal(
    pulled.stub.offsets('model-Q8_0.gguf').length,
    1,
    'a file that is there is verified, not downloaded',
  );
});

test('a download that breaks at random offsets continues where it stopped', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  for (let round = 0; round < scaled({ short: 5, long: 60 }); round += 1) {
    const pulled = await pulling(t);
    let cuts = 1 + integer(8);
    pulled.stub.deliver = (_, offset) => {
      cuts -= 1;
      return cuts >= 0 ? { cutAfter: integer(SIZE - offset) } : {};
    };
    await pulled.pull();
    isComplete(t, pulled);
    const offsets = pulled.stub.offsets('model-Q8_0.gguf');
    t.strictSame(
      offsets,
      [...offsets].sort((a, b) => a - b),
      'no byte is requested again from further back',
    );
  }
});

test('an attempt that was given up is continued by the next command', async (t) => {
  const pulled = await pulling(t);
  let asked = 0;
  pulled.stub.deliver = (_, offset) => {
    asked += 1;
    return offset === 0 ? { cutAfter: 100_000 } : { status: 503 };
  };
  await t.rejects(pulled.pull(), {
    message:
      /^hf:o\/r\/model-Q8_0\.gguf: 127\.0\.0\.1:\d+ responds with status 503, 6 times in a row\. Check the network; the same command continues/,
  });
  t.equal(asked, FAILURES_MAX, 'the broken connection and five refusals');
  t.notOk(existsSync(pulled.target));
  const stored = readFileSync(pulled.part).length;
  t.ok(stored > 0 && stored <= 100_000);
  t.strictSame(pulled.waits, [750, 1_500, 3_000, 6_000, 12_000], 'exponential backoff');
  pulled.stub.deliver = () => ({});
  await pulled.pull();
  isComplete(t, pulled);
  t.equal(pulled.stub.offsets('model-Q8_0.gguf').at(-1), stored);
});

test('progress starts the count of failures again', async (t) => {
  const pulled = await pulling(t);
  let cuts = FAILURES_MAX * 2;
  pulled.stub.deliver = () => {
    cuts -= 1;
    return cuts >= 0 ? { cutAfter: 1_000 } : {};
  };
  await pulled.pull();
  isComplete(t, pulled);
});

test('a connection that falls silent is given up and continued', async (t) => {
  const pulled = await pulling(t, { timeoutMs: 300 });
  // On a busy machine, a response may be given up before its first bytes.
  const isGivenUp = () => pulled.notices.some((notice) => notice.includes('UND_ERR_BODY_TIMEOUT'));
  pulled.stub.deliver = () => (isGivenUp() ? {} : { stallAfter: 5_000 });
  await pulled.pull();
  isComplete(t, pulled);
  t.ok(isGivenUp());
});

test('storage without ranges sends the whole file, which replaces the part', async (t) => {
  const pulled = await pulling(t);
  pulled.stub.deliver = (_, offset) => ({ whole: true, ...(offset === 0 && { cutAfter: 50_000 }) });
  await pulled.pull();
  isComplete(t, pulled);
});

test('a wrong checksum: nothing is kept, and the message says what to do', async (t) => {
  const pulled = await pulling(t);
  pulled.stub.deliver = () => ({ corrupt: true });
  await t.rejects(pulled.pull(), {
    message:
      /model-Q8_0\.gguf: the SHA-256 of the download is [0-9a-f]{64}, not the hub's .* deleted\. Try again/,
  });
  t.notOk(existsSync(pulled.target));
  t.notOk(existsSync(pulled.part));
  t.equal(pulled.stub.offsets('model-Q8_0.gguf').length, 1);
});

test('a damaged part is noticed and downloaded again', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.part), { recursive: true });
  writeFileSync(pulled.part, Buffer.alloc(200_000, 1));
  await pulled.pull();
  isComplete(t, pulled);
  t.match(pulled.notices.join('\n'), /the earlier part is damaged/);
  t.strictSame(pulled.stub.offsets('model-Q8_0.gguf'), [200_000, 0]);
  t.equal(pulled.totals.disk, SIZE);
});

test('a part that is longer than the file is not used', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.part), { recursive: true });
  writeFileSync(pulled.part, Buffer.concat([MODEL, MODEL]));
  await pulled.pull();
  isComplete(t, pulled);
});

test('a complete file with other contents is replaced', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.target), { recursive: true });
  for (const other of [Buffer.alloc(SIZE), Buffer.alloc(10)]) {
    writeFileSync(pulled.target, other);
    await pulled.pull();
    isComplete(t, pulled);
  }
  truncateSync(pulled.target, SIZE - 1);
  await pulled.pull();
  isComplete(t, pulled);
});

test('a complete file stays until another one is verified', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.target), { recursive: true });
  const other = Buffer.alloc(SIZE);
  writeFileSync(pulled.target, other);
  pulled.stub.deliver = () => ({ corrupt: true });
  await t.rejects(pulled.pull(), /the SHA-256 of the download is/);
  t.ok(readFileSync(pulled.target).equals(other));
  pulled.stub.deliver = () => ({});
  await pulled.pull();
  isComplete(t, pulled);
});

test('too little disk space is refused before anything is downloaded; at the limit it is enough', async (t) => {
  const pulled = await pulling(t);
  const spare = 64 * 1024 * 1024;
  await t.rejects(
    pulled.pull(() => SIZE + spare - 1),
    { message: /^300 kB are needed in .*models, and its disk has 67 MB free.*Free 1 B, or set models/ },
  );
  t.equal(pulled.stub.received.filter(({ host }) => host === 'storage').length, 0);
  await pulled.pull(() => SIZE + spare);
  isComplete(t, pulled);
  await pulled.pull(() => 0);
  t.pass('nothing is needed for a file that is there');
});

test('a file of another size does not count as disk space that is used already', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.target), { recursive: true });
  writeFileSync(pulled.target, MODEL.subarray(0, SIZE - 1));
  await t.rejects(
    pulled.pull(() => 0),
    { message: /^300 kB are needed/ },
  );
});

test('one of two downloads of a file waits for the other and downloads nothing', async (t) => {
  const pulled = await pulling(t);
  const selected = await pulled.selection();
  await Promise.all([pulled.fetchAll(selected), pulled.fetchAll(selected)]);
  isComplete(t, pulled);
  t.equal(pulled.stub.offsets('model-Q8_0.gguf').length, 1);
});

test('a part that another process has is not written to, until it is released', async (t) => {
  const pulled = await pulling(t);
  mkdirSync(dirname(pulled.part), { recursive: true });
  writeFileSync(pulled.part, '');
  const unlock = lockFile(pulled.part) as () => void;
  let attempts = 0;
  const restore = onOpen((path, flags) => {
    if (path === pulled.part && flags === 'r+') attempts += 1;
  });
  try {
    const pull = pulled.pull();
    while (attempts < 3) await new Promise(setImmediate);
    t.match(pulled.notices.at(-1), /another process is downloading it; waiting/);
    t.equal(readFileSync(pulled.part).length, 0);
    t.equal(pulled.stub.offsets('model-Q8_0.gguf').length, 0);
    unlock();
    await pull;
  } finally {
    restore();
  }
  isComplete(t, pulled);
});

/** Calls `before` with every file that is opened, until the function that it returns is called. */
function onOpen(before: (path: unknown, flags: unknown) => void): () => void {
  const { openSync } = fs;
  fs.openSync = (path, ...others) => {
    before(path, others[0]);
    return openSync(path, ...others);
  };
  syncBuiltinESMExports();
  return () => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  };
}

test('a part that vanishes before it is locked is made again', async (t) => {
  const pulled = await pulling(t);
  let removals = 2;
  const restore = onOpen((path, flags) => {
    if (path === pulled.part && flags === 'r+' && removals > 0) {
      removals -= 1;
      rmSync(pulled.part);
    }
  });
  try {
    await pulled.pull();
  } finally {
    restore();
  }
  t.equal(removals, 0);
  isComplete(t, pulled);
});

test('a stop keeps the part', async (t) => {
  const pulled = await pulling(t);
  pulled.stub.deliver = () => ({ stallAfter: 150_000 });
  const pull = pulled.pull();
  while (pulled.totals.disk < 150_000) await new Promise(setImmediate);
  pulled.stop.abort();
  await t.rejects(pull, { name: 'AbortError' });
  t.equal(readFileSync(pulled.part).length, 150_000);
  t.notOk(existsSync(pulled.target));
  t.ok(lockFile(pulled.part, 1), 'it is not locked');
});

test('the token goes to the hub only', async (t) => {
  const token = 'hf_secret';
  const pulled = await pulling(t, { token, hubToken: token });
  await pulled.pull();
  isComplete(t, pulled);
  for (const { host, authorization } of pulled.stub.received) {
    t.equal(authorization, host === 'hub' ? `Bearer ${token}` : undefined, host);
  }
});

test('a refusal of the storage names its host; an expired address is replaced', async (t) => {
  const pulled = await pulling(t);
  let refusals = 1;
  pulled.stub.deliver = () => {
    refusals -= 1;
    return refusals >= 0 ? { status: 403 } : {};
  };
  await pulled.pull();
  isComplete(t, pulled);
  t.match(
    pulled.notices.join('\n'),
    /model-Q8_0\.gguf: 127\.0\.0\.1:\d+ responds with status 403; trying again/,
  );
  const gone = await pulling(t);
  gone.stub.deliver = () => ({ status: 404 });
  await t.rejects(gone.pull(), {
    message:
      /^hf:o\/r\/model-Q8_0\.gguf: 127\.0\.0\.1:\d+ responds with status 404, to which the hub redirects\. Check HF_ENDPOINT/,
  });
  t.strictSame(gone.waits, []);
});

test('a web page instead of the file ends the download', async (t) => {
  const pulled = await pulling(t);
  pulled.stub.deliver = () => ({ page: true });
  await t.rejects(pulled.pull(), {
    message: 'model-Q8_0.gguf: the response is not that of a hub. Check HF_ENDPOINT.',
  });
  t.strictSame(pulled.waits, []);
});

test('a response with another range is not used', async (t) => {
  const pulled = await pulling(t);
  let wrong = 1;
  pulled.stub.deliver = () => {
    wrong -= 1;
    return wrong >= 0 ? { shift: 10 } : {};
  };
  await pulled.pull();
  isComplete(t, pulled);
  t.match(pulled.notices.join('\n'), /the response has another range than requested/);
});

test('a response that is longer than the file ends the download', async (t) => {
  const pulled = await pulling(t);
  pulled.stub.deliver = () => ({ extra: 1 });
  await t.rejects(pulled.pull(), { message: /the response is longer than the 300 kB that the hub lists/ });
  t.notOk(existsSync(pulled.target));
});

test('a file that changes its size, or is gone, ends the download', async (t) => {
  const pulled = await pulling(t);
  const selected = await pulled.selection();
  const [file] = selected.model;
  await t.rejects(pulled.fetchAll({ ...selected, model: [{ ...file, size: SIZE + 1 }] }), {
    message: /the hub lists 300001 bytes and delivers 300000/,
  });
  await t.rejects(pulled.fetchAll({ ...selected, model: [{ ...file, path: 'gone.gguf' }] }), {
    message: /the hub no longer has this file/,
  });
  t.strictSame(readdirSync(join(pulled.folder, '.downloads')), []);
});

test('gated files: what to do, with and without a token', async (t) => {
  const without = await pulling(t, { token: 'hf_right' });
  await t.rejects(without.pull(), {
    message:
      /access is restricted\. Accept the conditions at http:\/\/127\.0\.0\.1:\d+\/o\/r, create a token at .*\/settings\/tokens and set HF_TOKEN/,
  });
  const wrong = await pulling(t, { token: 'hf_right', hubToken: 'hf_wrong' });
  const error = await wrong.pull().catch((thrown: Error) => thrown);
  t.match((error as Error).message, /Accept the conditions at .* as the owner of the token in HF_TOKEN/);
  t.notMatch((error as Error).message, /hf_wrong/);
  t.strictSame(wrong.waits, [], 'a refusal is not tried again');
});

test('a models folder that cannot be written to', async (t) => {
  // Also refused to root: a folder in a file.
  const pulled = await pulling(t, { folder: join(process.execPath, 'models') });
  await t.rejects(
    pulled.pull(() => Number.POSITIVE_INFINITY),
    {
      message: /cannot be written: ENOTDIR.*\(models, DECIDER_MODELS\) must be writable/,
    },
  );
});
