import { test } from 'tap';
import { OperatorError } from '../../src/base/index.js';
import { type Engine, type Manifest, readManifest } from '../../src/engine/index.js';
import { LoadedBuild } from '../../src/server/models/loaded-build.js';
import { ModelSet } from '../../src/server/models/model-set.js';
import { requireOwnFiles } from '../../src/server/reload/next-models.js';
import {
  nextState,
  type ReloadEvent,
  type ReloadState,
  TRANSITIONS,
} from '../../src/server/reload/reload-transitions.js';
import { DRAIN_MARGIN_MS, FREE_MS_MAX, Reloader } from '../../src/server/reload/reloader.js';
import { loadSettings } from '../../src/settings/index.js';
import { ChangingModels, modelEntry } from '../support/changing-models.js';
import { fakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';

const STATES: readonly ReloadState[] = ['idle', 'reading', 'loading', 'warming', 'draining', 'stopped'];
const EVENTS: readonly ReloadEvent[] = [
  ...(['asked', 'read', 'applied', 'loaded', 'switched', 'drained', 'failed', 'stopped'] as const),
];
/** By state, what each event leads to, in the order of EVENTS; '-': it cannot happen. */
const EXPECTED: Readonly<Record<ReloadState, string>> = {
  idle: 'reading - - - - - - stopped',
  reading: '- loading idle - - - idle stopped',
  loading: '- - - warming - - idle stopped',
  warming: '- - - - draining - idle stopped',
  draining: '- - - - - idle - stopped',
  stopped: '- - - - - stopped stopped stopped',
};

test('transitions: every state with every event', async (t) => {
  t.strictSame(Object.keys(TRANSITIONS), STATES);
  for (const state of STATES) {
    const expected = EXPECTED[state].split(' ');
    EVENTS.forEach((event, at) => {
      if (expected[at] === '-')
        t.throws(() => nextState(state, event), /cannot have the event/, `${state} ${event}`);
      else t.equal(nextState(state, event), expected[at], `${state} ${event}`);
    });
  }
});

/** A step that ends when the test says so. */
function gate() {
  let pass = () => {};
  let fail = (_: Error) => {};
  const done = new Promise<void>((resolve, reject) => {
    pass = resolve;
    fail = reject;
  });
  return { done, pass, fail };
}

/** A reloader whose steps wait for the test, with models that load nothing. */
function startReloader(folder: string, use = () => {}) {
  const models = new ChangingModels(folder);
  models.serve([{ date: '20260101', file: 'a.gguf', sha256: '0'.repeat(64) }]);
  const settings = loadSettings({ DECIDER_MODELS: models.path }, undefined);
  const calls: string[] = [];
  const steps = { load: gate(), warm: gate(), unused: gate(), freed: Promise.resolve() };
  const setOf = (name: string) =>
    ({
      manifest: { name },
      catalog: { builds: [], find: () => undefined },
      builds: new Map(),
      own: () => [],
      unused: () => steps.unused.done,
    }) as unknown as ModelSet;
  const clock = fakeClock();
  const engines = {
    current: setOf('old'),
    nextSet: () => setOf('new'),
    // As a build that is being loaded, it ends with the signal.
    loadMissing: (_: ModelSet, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        steps.load.done.then(resolve, reject);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    startPreparing: () => steps.warm.done,
    replace(next: ModelSet) {
      const before = this.current;
      this.current = next;
      calls.push('replaced');
      return before;
    },
    async retire() {
      calls.push('retired');
      await steps.freed;
    },
    reportStuck: (reason: string) => void calls.push(reason),
    // Even if it fails, the server can be reloaded again.
    async discard() {
      calls.push('discarded');
      throw new Error('a thread cannot be ended');
    },
  };
  const errors: string[] = [];
  const log = {
    level: 'info',
    info: () => {},
    warn: () => calls.push('late'),
    error: (_: object, message: string) => errors.push(message),
  } as never;
  const reloader = new Reloader(settings, {
    engines,
    openModels: () => [],
    prepare: () => () => {
      calls.push('used');
      use();
    },
    prepareTls: async () => () => false,
    clock,
    log,
  });
  return { reloader, settings, calls, errors, steps, clock, models, engines };
}

const inState = (reloader: Reloader, state: ReloadState) => until(() => reloader.state === state);

test('a reload passes through its states; another one is refused, and waits while models drain', async (t) => {
  const { reloader, settings, calls, steps } = startReloader(t.testdir());
  const first = reloader.reload(settings);
  t.equal(reloader.state, 'reading');
  const busy = { message: 'Another reload is in progress.' };
  await t.rejects(reloader.reload(settings), busy);
  await inState(reloader, 'loading');
  await t.rejects(reloader.reload(settings), busy);
  steps.load.pass();
  await inState(reloader, 'warming');
  await t.rejects(reloader.reload(settings), busy);
  t.strictSame(calls, []);
  steps.warm.pass();
  t.strictSame(await first, { keys: ['manifest'], builds: [] });
  t.equal(reloader.state, 'draining');
  t.strictSame(calls, ['replaced', 'used']);
  const second = reloader.reload(settings);
  t.equal(reloader.state, 'draining');
  steps.unused.pass();
  t.strictSame(await second, { keys: ['manifest'], builds: [] });
  t.strictSame(calls.slice(0, 5), ['replaced', 'used', 'retired', 'replaced', 'used']);
});

test('a reload that fails while it loads or warms frees what it has loaded, and changes nothing', async (t) => {
  for (const failing of ['load', 'warm'] as const) {
    const { reloader, settings, calls, steps } = startReloader(t.testdir({}));
    const reloading = reloader.reload(settings);
    if (failing === 'warm') steps.load.pass();
    steps[failing].fail(new OperatorError('a reason.'));
    await t.rejects(reloading, { message: 'a reason.' }, failing);
    t.strictSame(calls, ['discarded']);
    t.equal(reloader.state, 'idle');
  }
});

test('a reload whose last step fails takes effect, with and without new models', async (t) => {
  const { reloader, settings, calls, errors, steps, models, engines } = startReloader(t.testdir(), () => {
    throw new Error('the disk is full');
  });
  steps.load.pass();
  steps.warm.pass();
  steps.unused.pass();
  t.strictSame(await reloader.reload(settings), { keys: ['manifest'], builds: [] });
  await inState(reloader, 'idle');
  t.strictSame(calls, ['replaced', 'used', 'retired'], 'the new models are not freed, the old ones are');
  const manifest = await readManifest(models.path);
  Object.assign(engines.current, { manifest });
  const next = { ...settings, log: { ...settings.log, level: 'error' as const } };
  t.strictSame(await reloader.reload(next), { keys: ['log.level'], builds: [] });
  t.equal(reloader.settings, next);
  t.equal(reloader.state, 'idle');
  t.strictSame(calls.slice(3), ['used']);
  t.strictSame(errors, Array(2).fill('a reload took effect, but one of its last steps failed'));
});

test('a broken manifest, or a setting that needs a restart, is refused before anything is loaded', async (t) => {
  const { reloader, settings, calls, models } = startReloader(t.testdir());
  await t.rejects(reloader.reload({ ...settings, port: 1 }), { message: 'port: a change needs a restart.' });
  models.write('{');
  await t.rejects(reloader.reload(settings), { name: 'ModelError' });
  t.strictSame(calls, []);
  t.equal(reloader.state, 'idle');
});

const PARTS = {
  joiners: null,
  engine: {} as Engine,
  images: null,
  verified: { labels: { list: [], lettersOnly: null }, rendered: null },
  contextTokensMax: 128,
  threads: [],
  releases: [],
};

test('a loaded build keeps its files: none can be added or removed', async (t) => {
  const fileOf = (file: string) => ({ file, sha256: '0'.repeat(64) });
  const plain = { date: '20260101', ...fileOf('a.gguf') };
  const seeing = { ...plain, projector: fileOf('b.gguf') };
  const setOf = (build: typeof plain) =>
    new ModelSet({ default: 'tiny', models: [modelEntry('tiny', [build])] } as Manifest, '.');
  for (const [before, after] of [
    [plain, seeing],
    [seeing, plain],
  ] as const) {
    const loaded = setOf(before);
    const build = loaded.catalog.default;
    loaded.builds.set(build.id, new LoadedBuild({ ...PARTS, build }));
    t.doesNotThrow(() => requireOwnFiles(loaded, setOf(before)));
    t.throws(() => requireOwnFiles(loaded, setOf(after)), { message: /is loaded with other files/ });
  }
});

test('the maximum of a loaded build is that of the manifest in use, and at most what was loaded', async (t) => {
  const plain = { date: '20260101', file: 'a.gguf', sha256: '0'.repeat(64) };
  const tokensWith = (own: object) => {
    const set = new ModelSet(
      { default: 'tiny', models: [modelEntry('tiny', [plain], own)] } as Manifest,
      '.',
    );
    set.builds.set('tiny-20260101', new LoadedBuild({ ...PARTS, build: set.catalog.default }));
    return set.factsOf('tiny').contextTokens;
  };
  t.equal(tokensWith({}), 128);
  t.equal(tokensWith({ context_length: 64 }), 64);
  t.equal(tokensWith({ context_length: 128 }), 128);
  t.equal(tokensWith({ context_length: 129 }), 128);
});

test('requests that keep replaced models longer than the time limit are cut off at it, not before', async (t) => {
  const { reloader, settings, calls, steps, clock } = startReloader(t.testdir());
  steps.load.pass();
  steps.warm.pass();
  await reloader.reload(settings);
  clock.advance(settings.engine.deadline_ms + DRAIN_MARGIN_MS - 1);
  t.equal(reloader.state, 'draining');
  clock.advance(1);
  await inState(reloader, 'idle');
  t.strictSame(calls, ['replaced', 'used', 'late', 'retired']);
});

test('threads of replaced models that do not end are reported after their time limit, and end no later', async (t) => {
  const { reloader, settings, calls, steps, clock, errors } = startReloader(t.testdir());
  steps.freed = new Promise(() => {});
  steps.load.pass();
  steps.warm.pass();
  steps.unused.pass();
  await reloader.reload(settings);
  await until(() => calls.includes('retired'));
  // The limit counts in steps, as of a process that may be stopped meanwhile.
  for (let step = 1; step < 20; step += 1) clock.advance(FREE_MS_MAX / 20);
  clock.advance(FREE_MS_MAX / 20 - 1);
  t.equal(reloader.state, 'draining');
  t.strictSame(calls.slice(2), ['retired']);
  const stopped = reloader.stop();
  clock.advance(1);
  await stopped;
  t.strictSame(calls.slice(2), ['retired', 'the threads of replaced models have not ended within 60 s']);
  t.strictSame(errors, ['replaced models cannot be freed']);
  t.equal(clock.timers(), 0);
});

test('a server that stops ends a reload in each of its states', async (t) => {
  const stopping = { message: 'The server is stopping.' };
  for (const state of ['reading', 'loading', 'warming'] as const) {
    const { reloader, settings, calls, steps } = startReloader(t.testdir({}));
    const reloading = reloader.reload(settings);
    if (state === 'warming') steps.load.pass();
    await inState(reloader, state);
    const stopped = reloader.stop();
    steps.warm.pass();
    await t.rejects(reloading, stopping, state);
    await stopped;
    t.strictSame(calls, ['discarded'], state);
    await t.rejects(reloader.reload(settings), stopping);
  }
  const { reloader, settings, calls, steps, clock } = startReloader(t.testdir({}));
  steps.load.pass();
  steps.warm.pass();
  await reloader.reload(settings);
  const waiting = reloader.reload(settings);
  await reloader.stop();
  await t.rejects(waiting, stopping);
  t.strictSame(calls, ['replaced', 'used'], 'the server frees the models after their last requests');
  t.equal(clock.timers(), 0);
});
