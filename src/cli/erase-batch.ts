import { CHANGES } from '../access/index.js';
import { servingProcess } from '../storage/index.js';
import { type Options, print, printJson } from './output.js';
import { withAdministration } from './with-store.js';

/** `decider batches erase`: an operator erases a batch of any key, in the data folder or the database. */
export const eraseBatch = (id: string, options: Options) =>
  withAdministration(options, async (administration, { data, store }) => {
    const { workspace, key, state } = await administration.change(CHANGES.eraseBatch(id));
    if (options.json) return printJson({ id, workspace, key, state, erased: true });
    print(`${id} of ${workspace} is erased: its lines, its results and its webhook are deleted.`);
    const isServed = store.url !== '' || servingProcess(data) !== null;
    print(
      isServed
        ? 'The server removes what it still stores of it within 10 minutes.'
        : 'No server runs. The next one removes what is still stored of it.',
    );
  });
