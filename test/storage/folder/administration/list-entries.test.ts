import { test } from 'tap';
import {
  entriesOfKey,
  LISTS,
  replaceEntries,
} from '../../../../src/storage/folder/administration/list-entries.js';
import { getKey } from '../../../../src/storage/folder/administration/rows.js';
import { openStore, problemsOfLists } from '../../../../src/storage/folder/index.js';
import { decider } from '../../../support/cli.js';
import { fillFolder } from '../../../support/cluster/full-folder.js';

test('the lists have what the tables have; verify finds what they lack', async (t) => {
  const folder = t.testdir();
  const { key } = await fillFolder(folder);
  const store = openStore(folder);
  t.teardown(() => store.close());
  t.strictSame(problemsOfLists(store), []);
  const entries = entriesOfKey(getKey(store, key));
  store.change(() => replaceEntries(store, entries, entries.slice(1)));
  t.strictSame(problemsOfLists(store), [`The list ${LISTS.keys.created} does not have ${key}.`]);
  const result = await decider(t, ['verify'], { DECIDER_DATA: folder }).end();
  t.match(result, {
    code: 1,
    stdout: new RegExp(`^problem +lists +The list key.created does not have ${key}`, 'm'),
  });
  const [first, ...others] = entries as [(typeof entries)[number], ...typeof entries];
  const strange = [...first.slice(0, 3), 'key_gone', ...first.slice(4)] as unknown as typeof first;
  store.change(() => replaceEntries(store, others, [...entries, strange]));
  const [problem, ...more] = problemsOfLists(store);
  t.match(problem, /^The lists have \d+ entries, of which \d+ belong there\.$/);
  t.strictSame(more, []);
});
