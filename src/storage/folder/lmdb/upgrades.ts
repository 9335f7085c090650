import { fillLists } from '../administration/fill-lists.js';
import type { Upgrade } from './upgrade.js';

/** One step for each earlier format. Released ones are never changed. */
export const UPGRADES: readonly Upgrade[] = [
  // Names of workspaces and keys, and closed workspaces.
  {
    from: 1,
    run(store) {
      store.table('workspaces').rewrite((workspace) => ({ ...workspace, name: null, closed: null }));
      store.table('keys').rewrite((key) => ({ ...key, name: null }));
    },
  },
  // Lists of workspaces and keys.
  {
    from: 2,
    run: fillLists,
  },
  // Monitors and shadow builds of tasks: tables without entries.
  {
    from: 3,
    run() {},
  },
];
