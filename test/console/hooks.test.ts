import { test } from 'tap';
import { CallError } from '../../src/console/api/error.js';
import { consoleModule, runHook } from '../support/console/run-hook.js';
import { until } from '../support/until.js';

interface Loaded {
  readonly value: string | null;
  readonly isCurrent: boolean;
  readonly stale: string;
  reload(): void;
}
type UseLoad = (load: () => Promise<string>, active: boolean, inputs: readonly unknown[]) => Loaded;

interface Terms {
  readonly active: boolean;
  readonly isMoving: boolean;
  readonly everyMs: number;
}

const { useReloads } = await consoleModule<{ useReloads(loaded: Loaded, terms: Terms): void }>(
  'ui/use-reloads.js',
);
const { useLoad } = await consoleModule<{ useLoad: UseLoad }>('ui/use-load.js');

test('a value that was loaded for other inputs is not current', async (t) => {
  let [id, answer] = ['first', (_: string) => {}];
  const load = () =>
    new Promise<string>((resolve) => {
      answer = resolve;
    });
  const ran = runHook(t, () => useLoad(load, true, [id]));
  t.match(ran.value, { value: null, isCurrent: false });
  await until(() => ran.value.stale === 'renewing');
  answer('one');
  await until(() => ran.value.value === 'one');
  t.equal(ran.value.isCurrent, true);
  id = 'second';
  ran.again();
  t.match(ran.value, { value: 'one', isCurrent: false });
  await until(() => ran.value.stale === 'renewing');
  t.match(ran.value, { value: 'one', isCurrent: false });
  answer('two');
  await until(() => ran.value.value === 'two');
  t.match(ran.value, { isCurrent: true, stale: 'no' });
  ran.value.reload();
  await until(() => ran.value.stale === 'renewing');
  t.equal(ran.value.isCurrent, true, 'it is old, but of this input');
});

test('what can change is loaded again, also after loads that failed', async (t) => {
  const lost = () => new CallError(null, 'unreachable', 'The server did not answer.');
  const refused = new CallError(404, 'not_found', 'It does not exist.');
  const outcomes: unknown[] = ['moving', lost(), lost(), 'moving', lost(), 'still'];
  let loads = 0;
  const load = async () => {
    const outcome = outcomes[loads] ?? refused;
    loads += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome as string;
  };
  const ran = runHook(t, () => {
    const loaded = useLoad(load, true, []);
    useReloads(loaded, { active: true, isMoving: loaded.value === 'moving', everyMs: 1 });
    return loaded;
  });
  await until(() => ran.value.value === 'still');
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(loads, outcomes.length, 'not while nothing can change');
  ran.value.reload();
  await until(() => loads === outcomes.length + 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(loads, outcomes.length + 1, 'not after an error that stays');
});

interface Uploads {
  chooseLabels(name: string, key: string, file: unknown): void;
  sendLabels(api: unknown, name: string, key: string, which: 'all' | 'others'): Promise<void>;
  useUpload(
    name: string,
    key: string,
  ): { readonly parts: number; readonly labels: number | null; readonly storedBy: string } | null;
}

test('labels that were stored with another key are sent again, unless the user says otherwise', async (t) => {
  const { chooseLabels, sendLabels, useUpload } = await consoleModule<Uploads>('tasks/label-uploads.js');
  const refused = new CallError(401, 'unauthorized', 'The key was revoked.');
  const sent: string[] = [];
  const api = (key: string, calls = Number.POSITIVE_INFINITY) => ({
    async json(_: string, { body }: { readonly body: Blob }) {
      if (sent.filter((each) => each.startsWith(key)).length === calls) throw refused;
      sent.push(`${key} ${(await body.text()).trim()}`);
      return { body: { labels: sent.length } };
    },
  });
  const parts = ['a', 'b', 'c'].map((text, at) => [{ number: at + 1, text }]);
  for (const [task, which, rest] of [
    ['one', 'all', ['key_2 a', 'key_2 b', 'key_2 c']],
    ['two', 'others', ['key_2 b', 'key_2 c']],
  ] as const) {
    sent.length = 0;
    chooseLabels(task, 'key_1', { parts });
    await sendLabels(api('key_1', 1), task, 'key_1', 'others');
    const ran = runHook(t, () => useUpload(task, 'key_2'));
    t.match(ran.value, { parts: 1, labels: 1 });
    await sendLabels(api('key_2'), task, 'key_2', which);
    t.strictSame(sent, ['key_1 a', ...rest]);
    ran.again();
    t.match(ran.value, { parts: 3, labels: sent.length, storedBy: 'key_2' });
  }
});

test('what another key has stored stays known until a call of the next one is answered', async (t) => {
  const { chooseLabels, sendLabels, useUpload } = await consoleModule<Uploads>('tasks/label-uploads.js');
  const answers = [
    { body: { labels: 7 } },
    new CallError(401, 'unauthorized', 'The key was revoked.'),
    new CallError(503, 'overloaded', 'The server is busy.'),
    new CallError(503, 'overloaded', 'The server is busy.'),
    { body: { labels: 1 } },
  ];
  const api = {
    async json() {
      const answer = answers.shift() ?? new CallError(null, 'unreachable', 'The server did not answer.');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  chooseLabels('three', 'key_1', { parts: ['a', 'b'].map((text, at) => [{ number: at + 1, text }]) });
  await sendLabels(api, 'three', 'key_1', 'others');
  const ran = runHook(t, () => useUpload('three', 'key_2'));
  for (const which of ['all', 'others'] as const) {
    await sendLabels(api, 'three', 'key_2', which);
    ran.again();
    t.match(ran.value, { parts: 1, labels: 7, storedBy: 'key_1' }, which);
  }
  await sendLabels(api, 'three', 'key_2', 'all');
  ran.again();
  t.match(ran.value, { parts: 1, labels: 1, storedBy: 'key_2' });
});

const { useRenewal } = await consoleModule<{ useRenewal(api: unknown, onLimits: () => void): () => void }>(
  'api/use-renewal.js',
);

test('limits of a key are not read once it is forgotten', async (t) => {
  const calls: string[] = [];
  const arrived: string[] = [];
  let answer = () => {};
  const api = (key: string) => ({
    json: () =>
      new Promise((resolve) => {
        calls.push(key);
        answer = () => resolve({ body: { key }, headers: new Headers() });
      }),
  });
  let [present, key] = [api('first'), 'first'];
  const ran = runHook(t, () => useRenewal(present, () => arrived.push(key)));
  ran.value();
  answer();
  await until(() => arrived.length === 1);
  const ofFirst = ran.value;
  [present, key] = [api('second'), 'second'];
  ran.again();
  ofFirst();
  ran.value();
  t.strictSame(calls, ['first', 'second']);
  ran.end();
  answer();
  ran.value();
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.strictSame(calls, ['first', 'second'], 'not after the view has gone');
  t.strictSame(arrived, ['first']);
});

type UseRefusal = (
  present: string | null,
  onRefused: () => void,
) => (key: string) => (error: CallError) => void;
const { useRefusal } = await consoleModule<{ useRefusal: UseRefusal }>('api/use-refusal.js');

test('a late refusal of an earlier key ends nothing', (t) => {
  const refusal = new CallError(401, 'unauthorized', 'The key was revoked.');
  let [present, refused] = ['first' as string | null, 0];
  const ran = runHook(t, () =>
    useRefusal(present, () => {
      refused += 1;
    }),
  );
  const first = ran.value('first');
  for (const next of [null, 'second']) {
    present = next;
    ran.again();
    first(refusal);
  }
  t.equal(refused, 0);
  ran.value('second')(refusal);
  t.equal(refused, 1);
  t.end();
});

test('a view that has gone is not shown', async (t) => {
  type UseShown = (active: boolean) => { readonly current: boolean };
  const { useShown } = await consoleModule<{ useShown: UseShown }>('ui/use-shown.js');
  let active = true;
  const ran = runHook(t, () => useShown(active));
  const shown = ran.value;
  t.equal(shown.current, true);
  active = false;
  ran.again();
  t.equal(shown.current, false);
  active = true;
  ran.again();
  t.equal(shown.current, true);
  ran.end();
  t.equal(shown.current, false);
});
