import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { HubConnection } from '../../src/hub/connection.js';
import { hubSettings } from '../../src/hub/hub-environment.js';
import { select } from '../../src/hub/pull.js';
import { parseReference } from '../../src/hub/reference.js';
import { ENTRIES_MAX, RESPONSE_BYTES_MAX, RESPONSES_MAX } from '../../src/hub/repository.js';
import { freePort } from '../support/free-port.js';
import { HubStub } from '../support/hub/stub.js';
import { PATIENCE_MS } from '../support/until.js';

const files = { 'm-Q8_0.gguf': Buffer.from('GGUF') };
const SECRET = 'hf_very_secret';

/** What selecting from a stub ends with: a message, or the paths. */
async function outcome(t: Test, stub: HubStub, text: string, token: string | null = null): Promise<string> {
  const stop = new AbortController();
  const hub = new HubConnection({ endpoint: stub.url, token, timeoutMs: PATIENCE_MS }, stop.signal);
  t.teardown(() => hub.close());
  const timing = { wait: async () => {}, random: () => 0 };
  try {
    const found = await select(parseReference(text), undefined, {
      hub,
      signal: stop.signal,
      notice: () => {},
      timing,
    });
    return found.model.map(({ path }) => path).join();
  } catch (error) {
    return (error as Error).message;
  }
}

test('refusals of the hub say what to do, and never contain the token', async (t) => {
  const stub = await HubStub.start(t, { 'o/r': { files } });
  t.match(
    await outcome(t, stub, 'hf:o/gone'),
    /^hf:o\/gone: the hub refuses access \(status 401\).*Check the name.*HF_TOKEN/,
  );
  const withToken = await outcome(t, stub, 'hf:o/gone', SECRET);
  t.match(withToken, /refuses the token \(status 401\), or the repository does not exist/);
  t.notMatch(withToken, SECRET);
  t.match(await outcome(t, stub, 'hf:o/r@v9'), /has no such revision\. Correct what follows @/);
  for (const [status, message] of [
    [403, /refuses access \(status 403\)/],
    [404, /has no such repository or revision; if it is private, set HF_TOKEN/],
    [418, /responds with status 418/],
  ] as const) {
    stub.failures.push(status);
    t.match(await outcome(t, stub, 'hf:o/r'), message);
  }
});

test('temporary failures are tried again, a bounded number of times', async (t) => {
  const stub = await HubStub.start(t, { 'o/r': { files } });
  stub.failures.push(503, 429, 500, 408, 502);
  t.equal(await outcome(t, stub, 'hf:o/r'), 'm-Q8_0.gguf');
  stub.failures.push(503, 503, 503, 503, 503, 503);
  t.match(await outcome(t, stub, 'hf:o/r'), /status 503, 6 times in a row/);
  t.equal(stub.failures.length, 0);
});

test('a hub that cannot be reached: the reason, without the token', async (t) => {
  const stub = await HubStub.start(t, {});
  stub.url = `http://127.0.0.1:${await freePort()}`;
  const message = await outcome(t, stub, 'hf:o/r', SECRET);
  t.match(
    message,
    /^hf:o\/r: the connection failed \(ECONNREFUSED: the connection was refused\), 6 times in a row\. Check the network/,
  );
  t.notMatch(message, SECRET);
});

test('a server that is not a hub, and a file without a checksum', async (t) => {
  const stub = await HubStub.start(t, {
    'o/up': { files, id: '../..' },
    'o/odd': { files, commit: 'not a commit' },
    'o/evil': { files: { '../../evil.gguf': Buffer.from('GGUF') } },
  });
  for (const page of ['<!DOCTYPE html>\u001b[31m', '', 'null', '7', '{}']) {
    // As the description of the repository, and as its list of files.
    for (const before of [[], [JSON.stringify({ id: 'o/odd', sha: 'c'.repeat(40) })]]) {
      stub.failures.push(...before, page);
      t.equal(
        await outcome(t, stub, 'hf:o/odd'),
        'hf:o/odd: the response is not that of a hub. Check HF_ENDPOINT.',
        JSON.stringify(page),
      );
    }
  }
  stub.failures.push(
    JSON.stringify({ id: ['o/odd'], sha: 'c'.repeat(40) }),
    JSON.stringify([{ type: 'file', path: 'm.gguf', size: -1 }]),
  );
  t.match(await outcome(t, stub, 'hf:o/odd'), /is not that of a hub/);
  t.match(await outcome(t, stub, 'hf:o/odd'), /is not that of a hub\. Check HF_ENDPOINT/);
  t.match(await outcome(t, stub, 'hf:o/up'), /hf:o\/up: the hub describes another repository\. If/);
  t.match(await outcome(t, stub, 'hf:o/evil'), /"\.\.\/\.\.\/evil\.gguf" is not a path that can be stored/);
});

test('a hub does not choose the folder of a repository', async (t) => {
  const stub = await HubStub.start(t, {
    'o/renamed': { files, id: 'new/name' },
    'o/Case': { files, id: 'O/case' },
    'o/text': { files, id: 'a b; rm -rf /' },
  });
  t.match(
    await outcome(t, stub, 'hf:o/renamed@v1'),
    /^hf:o\/renamed@v1: the hub describes another repository, new\/name\. .* decider models pull hf:new\/name@v1\.$/,
  );
  t.match(await outcome(t, stub, 'hf:o/text'), /another repository\. If yours was renamed, pull that one\.$/);
  t.equal(await outcome(t, stub, 'hf:o/Case'), 'm-Q8_0.gguf');
});

test('the responses that describe a repository are bounded, in number and in bytes', async (t) => {
  const stub = await HubStub.start(t, {
    'o/pages': {
      files: { ...files, 'README.md': Buffer.alloc(0) },
      pageSize: 2,
      emptyPages: RESPONSES_MAX - 1,
    },
    'o/endless': { files, emptyPages: RESPONSES_MAX },
  });
  t.equal(await outcome(t, stub, 'hf:o/pages'), 'm-Q8_0.gguf');
  t.match(await outcome(t, stub, 'hf:o/endless'), /^hf:o\/endless: .* takes more than 200 responses\./);
  stub.failures.push(' '.repeat(RESPONSE_BYTES_MAX + 1));
  t.match(await outcome(t, stub, 'hf:o/pages'), /takes more than 64 MiB\./);
});

test('the entries of a repository are bounded', async (t) => {
  const readmes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.md`, Buffer.alloc(0)]));
  const stub = await HubStub.start(t, {
    'o/most': { files: { ...readmes(ENTRIES_MAX - 1), ...files }, pageSize: 10_000 },
    'o/more': { files: { ...readmes(ENTRIES_MAX), ...files }, pageSize: 10_000 },
  });
  t.equal(await outcome(t, stub, 'hf:o/most'), 'm-Q8_0.gguf');
  t.match(await outcome(t, stub, 'hf:o/more'), /^hf:o\/more has more than 20000 files/);
});

test('the environment variables of the hub', async (t) => {
  const home = t.testdir({ '.cache': { huggingface: { token: 'hf_stored\n' } }, other: 'hf_other' });
  t.strictSame(hubSettings({}, home), {
    endpoint: 'https://huggingface.co',
    token: 'hf_stored',
    timeoutMs: 30_000,
  });
  t.match(hubSettings({ HF_TOKEN: 'hf_a', HUGGING_FACE_HUB_TOKEN: 'hf_b' }, home), { token: 'hf_a' });
  t.match(hubSettings({ HUGGING_FACE_HUB_TOKEN: 'hf_b' }, home), { token: 'hf_b' });
  t.match(hubSettings({ HF_TOKEN_PATH: join(home, 'other') }, home), { token: 'hf_other' });
  t.equal(hubSettings({ HF_HOME: join(home, 'none') }, home).token, null);
  t.equal(hubSettings({ XDG_CACHE_HOME: join(home, 'none') }, home).token, null);
  t.equal(hubSettings({ HF_TOKEN: 'hf_a', HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' }, home).token, null);
  t.match(hubSettings({ HF_ENDPOINT: 'http://mirror.example/hub/', HF_HUB_DOWNLOAD_TIMEOUT: '5' }, home), {
    endpoint: 'http://mirror.example/hub',
    timeoutMs: 5_000,
  });
  t.throws(() => hubSettings({ HF_HUB_OFFLINE: '1' }, home), { message: /HF_HUB_OFFLINE is set/ });
  t.throws(() => hubSettings({ HF_HUB_DOWNLOAD_TIMEOUT: '0' }, home), {
    message: /HF_HUB_DOWNLOAD_TIMEOUT must be/,
  });
  for (const endpoint of ['mirror', 'ftp://mirror', 'https://user:pass@mirror', 'https://mirror/?a=b']) {
    t.throws(() => hubSettings({ HF_ENDPOINT: endpoint }, home), {
      message: /^HF_ENDPOINT must be the URL of a hub/,
    });
  }
  for (const HF_TOKEN of ['hf_a b', 'hf_ä', 'hf_a\nb']) {
    try {
      hubSettings({ HF_TOKEN }, home);
      t.fail('it was not refused');
    } catch (error) {
      t.match((error as Error).message, /\(HF_TOKEN\) contains a space/);
      t.notOk((error as Error).message.includes(HF_TOKEN));
    }
  }
  writeFileSync(join(home, 'other'), 'a b');
  t.throws(() => hubSettings({ HF_TOKEN_PATH: join(home, 'other') }, home), {
    message: /\(.*other\) contains/,
  });
});
