import { test } from 'tap';
import { StoreError } from '../../../../src/base/index.js';
import { putOf } from '../../../support/batch/batch-tasks.js';
import { answerOf, folderTasks, labelOf } from '../../../support/store/folder-tasks.js';

test('labels and pairs that a full disk does not take are refused for a while', async (t) => {
  const { store, tasks, access, errors } = folderTasks(t);
  const task = await putOf(tasks, 'w', 'a');
  tasks.record(task, answerOf('req_1'));
  const { write } = store;
  store.write = async () => {
    throw new StoreError('The disk is full.');
  };
  const refused = {
    name: 'Error',
    type: 'overloaded',
    message: 'The server cannot write to its data folder.',
  };
  const pairs = { version: 1, live: 'm-1', shadow: 'n-1', questions: [], answers: [] };
  await t.rejects(tasks.label(task, [labelOf('req_1')]), refused);
  await t.rejects(tasks.addPairs(task, pairs), refused);
  t.ok(errors.length > 0, 'it is reported');
  store.write = write;
  await access.flush();
  t.match(await tasks.label(task, [labelOf('req_1')]), { stored: true, labels: 1 });
});
