import { test } from 'tap';
import { putOf } from '../../../support/batch/batch-tasks.js';
import { folderTasks } from '../../../support/store/folder-tasks.js';

test('a task whose data key is missing or damaged is reported, and does not hide the others', async (t) => {
  const { store, tasks, errors, damage } = folderTasks(t);
  await putOf(tasks, 'w', 'a');
  const missing = await putOf(tasks, 'w', 'b');
  const damaged = await putOf(tasks, 'w', 'c');
  await store.write([store.table('data_keys').write([missing.id], null)]);
  await damage('data_keys', damaged.id);
  const listed = await tasks.list('w');
  t.strictSame(
    listed.map(({ name }) => name),
    ['a'],
  );
  t.match(errors, [{ name: 'StoreError', message: /task w\/b/ }, { name: 'StoreError' }]);
  t.equal((await tasks.counts('w')).size, 3);
});
