import { Blocks } from '../../../src/batch/ingest/blocks.js';
import type { LineNames } from '../../../src/batch/ingest/check-batch-line.js';
import { FileTasks } from '../../../src/batch/ingest/file-tasks.js';
import { FileTurns } from '../../../src/batch/ingest/file-turns.js';
import { ThreadTurns } from '../../../src/batch/ingest/thread-turns.js';
import type { Catalog, CatalogBuild } from '../../../src/engine/index.js';

export const KNOWN: LineNames = {
  catalog: {
    find: (id) =>
      id !== null && /^m\d*$/.test(id)
        ? ({ id: `${id}-20260101`, model: { id } } as CatalogBuild)
        : undefined,
  },
  allowed: null,
  tasks: new FileTasks([], { find: () => undefined }),
};

/** The same models, which read images. */
export const READING = {
  find: (name: string) => {
    const build = KNOWN.catalog.find(name);
    return build && { ...build, model: { ...build.model, reads_images: true } };
  },
} as Catalog;

/** The owner of a file whose client stays. */
export const fileOwner = (key = 'key', workspace = 'workspace') => ({
  owner: { key, workspace },
  stop: new Int32Array(1),
});

/** The turns of a file that is alone on its thread. */
export const ownTurns = () => new FileTurns(new ThreadTurns(), fileOwner());

/** What the file thread provides, without helpers. */
export const fileTools = () => ({
  catalog: KNOWN.catalog as Catalog,
  blocks: new Blocks(),
  turns: new ThreadTurns(),
  help: async () => [],
});
