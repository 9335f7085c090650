import { test } from 'tap';
import { chooseTransport } from '../../src/http/index.js';
import type { Transport } from '../../src/http/transport/transport-types.js';
import { KNOWN_ATTACKS } from '../../src/http/trial/known-attacks.js';
import { TRIAL_MS_MAX, tryUws } from '../../src/http/trial/try-uws.js';
import { DESYNC_CLASSES } from '../support/http/desync.js';
import { uwsMissing } from '../support/http/serving.js';
import { PATIENCE_MS } from '../support/until.js';

const UWS: Transport = { name: 'uws', listen: () => Promise.reject(new Error('not in this test')) };
const loads = async () => UWS;
const fails = () => Promise.reject(new Error('no binary'));
const NEVER = new AbortController().signal;
const passes = async () => ({ passed: true, finding: 'it passed' });
const refused = async () => ({ passed: false, finding: 'it failed' });
const notTried = () => Promise.reject(new Error('must not be tried'));

/** The URL of a module that takes the place of uWebSockets.js. */
const stub = (name: string) => new URL(`../support/http/transports/${name}.js`, import.meta.url).href;

/** What `auto` chooses if uWebSockets.js is that of a module. */
const auto = (name: string, msMax = PATIENCE_MS) =>
  chooseTransport('auto', NEVER, (stop) => tryUws(stop, stub(name), msMax), loads);

test('a transport that is set by name is not tried', async (t) => {
  t.match(await chooseTransport('uws', NEVER, notTried, loads), { transport: { name: 'uws' }, reason: null });
  t.match(await chooseTransport('node', NEVER, notTried, fails), {
    transport: { name: 'node' },
    reason: null,
  });
});

test('auto follows the check, and says why', async (t) => {
  t.match(await chooseTransport('auto', NEVER, passes, loads), {
    transport: { name: 'uws' },
    reason: 'http.transport auto: uws is used, because it passed',
  });
  t.match(await chooseTransport('auto', NEVER, refused, loads), {
    transport: { name: 'node' },
    reason: 'http.transport auto: node is used, because it failed',
  });
  // It loaded in the child process only.
  t.match(await chooseTransport('auto', NEVER, passes, fails), {
    transport: { name: 'node' },
    reason: /node is used, because uWebSockets\.js does not load: no binary$/,
  });
});

test('where uws is set and does not load, the error gives the reason and the command', async (t) => {
  const rejection = (cause: Error) => chooseTransport('uws', NEVER, notTried, () => Promise.reject(cause));
  await t.rejects(rejection(new Error('no binary')), {
    name: 'SettingsError',
    message: new RegExp(
      `no binary for Node\\.js ${process.version} on [^\\n]+: npm install --no-save uWebSockets\\.js@\\S+$`,
    ),
  });
  await t.rejects(rejection(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })), {
    name: 'SettingsError',
    message: /which is not installed\. Run: npm ci$/,
  });
});

test('auto chooses uws if it refuses every known attack', async (t) => {
  t.match(await auto('refuses-all'), {
    transport: { name: 'uws' },
    reason: `http.transport auto: uws is used, because uWebSockets.js refused all ${KNOWN_ATTACKS.length} known attacks`,
  });
});

test('with the installed uWebSockets.js, auto stays on node and names the attack', {
  skip: uwsMissing,
}, async (t) => {
  t.match(await chooseTransport('auto', NEVER, (stop) => tryUws(stop, undefined, PATIENCE_MS)), {
    transport: { name: 'node' },
    reason:
      /node is used, because uWebSockets\.js executed a request hidden by a length behind a field without a name/,
  });
});

test('a library that fails in its check does not end or hold up the server', async (t) => {
  for (const [name, reason] of [
    ['aborts', /because the check of uWebSockets\.js ended with SIGABRT$/],
    ['ends-late', /because the check of uWebSockets\.js ended with (SIGABRT|status \d+)$/],
    ['unanswered', /because the check of uWebSockets\.js failed: it did not answer an ordinary request$/],
    ['without-binary', /because the installed uWebSockets\.js has no binary for Node\.js v\S+ on \S+$/],
    ['not-installed', /because uWebSockets\.js is not installed$/],
    ['no-such-module', /because the check of uWebSockets\.js failed: Cannot find module /],
    ['never-last', /failed: it did not answer the last request of a connection$/],
    ['executes-lengths', /executed a request hidden by two lengths/],
  ] as const) {
    t.match(await auto(name), { transport: { name: 'node' }, reason }, name);
  }
});

test('a library that hangs is ended when its time is over', async (t) => {
  t.match(await auto('hangs', 2_000), {
    transport: { name: 'node' },
    reason: /because the check of uWebSockets\.js did not end within 2000 ms$/,
  });
  t.equal(TRIAL_MS_MAX, 10_000);
});

test('a start that is stopped ends the check', async (t) => {
  const stop = new AbortController();
  const choosing = chooseTransport('auto', stop.signal, (signal) => tryUws(signal, stub('hangs')), loads);
  stop.abort(new Error('stopped'));
  await t.rejects(choosing, { message: 'stopped' });
});

test('the known attacks have every class of the generator', async (t) => {
  const names = (byLibrary: boolean) => [
    ...new Set(KNOWN_ATTACKS.filter((attack) => attack.byLibrary === byLibrary).map(({ name }) => name)),
  ];
  t.strictSame(names(true), DESYNC_CLASSES.ofLibrary);
  t.strictSame(names(false), DESYNC_CLASSES.ofServer);
});
