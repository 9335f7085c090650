import { test } from 'tap';
import { consoleModule, runHook } from '../support/console/run-hook.js';
import { until } from '../support/until.js';

interface Loaded {
  readonly value: string | null;
  readonly isCurrent: boolean;
  readonly stale: string;
  reload(): void;
}
type UseLoad = (load: () => Promise<string>, active: boolean, inputs: readonly unknown[]) => Loaded;

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
