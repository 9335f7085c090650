import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import type { BatchList } from '../../src/console/api/api-types.js';
import { CallError } from '../../src/console/api/error.js';
import {
  BATCHES_SHOWN_MAX,
  type BegunList,
  listBatches,
  PAGES_MAX,
  settledPart,
} from '../../src/console/batches/list-batches.js';

/** The list of the server, with a number of batches; ids that are gone are unknown. */
function batchList(count: number, gone: readonly string[] = []) {
  const ids = Array.from({ length: count }, (_, at) => `batch_${at}`).filter((id) => !gone.includes(id));
  const asked: string[] = [];
  const readPage = async (query: string) => {
    asked.push(query);
    const parameters = new URLSearchParams(query);
    const [limit, after] = [Number(parameters.get('limit')), parameters.get('after')];
    const from = after === null ? 0 : ids.indexOf(after) + 1;
    if (after !== null && from === 0) throw new CallError(404, 'batch_not_found', 'gone');
    const data = ids.slice(from, from + limit).map((id) => ({ id }));
    return { object: 'list', data, has_more: from + limit < ids.length } as unknown as BatchList;
  };
  return { asked, readPage };
}

test('the newest batches are listed, and further reads begin before them', async (t) => {
  const list = async (count: number, skipped: string | null = null, gone: readonly string[] = []) => {
    const { asked, readPage } = batchList(count, gone);
    const { batches, ...rest } = await listBatches(readPage, { batches: [], skipped }, () => {});
    const [newest, oldest] = [batches[0]?.id ?? null, batches.at(-1)?.id ?? null];
    return { ...rest, shown: batches.length, newest, oldest, pages: asked.length };
  };
  const most = BATCHES_SHOWN_MAX;
  t.match(await list(0), { shown: 0, skipped: null, pages: 1 });
  t.match(await list(most), { shown: most, oldest: 'batch_0', skipped: null });
  t.match(await list(most + 1), {
    shown: most,
    newest: `batch_${most}`,
    oldest: 'batch_1',
    skipped: 'batch_0',
  });
  t.match(await list(2_601), { newest: 'batch_2600', oldest: 'batch_601', skipped: 'batch_600', pages: 27 });
  t.match(await list(2_651, 'batch_600'), {
    newest: 'batch_2650',
    oldest: 'batch_651',
    skipped: 'batch_650',
    pages: 21,
  });
  t.match(await list(2_651, 'batch_600', ['batch_600']), {
    newest: 'batch_2650',
    oldest: 'batch_651',
    pages: 28,
  });
});

test('a further read begins before the oldest batch that can change', async (t) => {
  const first = await listBatches(batchList(2_600).readPage, { batches: [], skipped: null }, () => {});
  t.equal(first.skipped, 'batch_599');
  const again = async (count: number, moving: readonly string[], gone: readonly string[] = []) => {
    const { asked, readPage } = batchList(count, gone);
    const from = settledPart(first, ({ id }) => moving.includes(id));
    const read = await listBatches(readPage, from, () => {});
    const ids = read.batches.map(({ id }) => id);
    t.equal(new Set(ids).size, ids.length, 'none is listed twice');
    return { pages: asked.length, shown: ids.length, newest: ids[0], oldest: ids.at(-1) };
  };
  const shown = BATCHES_SHOWN_MAX;
  t.strictSame(await again(2_600, []), { pages: 1, shown, newest: 'batch_2599', oldest: 'batch_600' });
  t.match(await again(2_605, ['batch_2590', 'batch_2595']), { pages: 1, shown, newest: 'batch_2604' });
  t.match(await again(2_605, ['batch_2450']), { pages: 2, shown, newest: 'batch_2604', oldest: 'batch_605' });
  t.match(await again(2_600, ['batch_600']), { pages: 20, shown, oldest: 'batch_600' });
  t.match(await again(2_600, ['batch_2590'], ['batch_2589']), { pages: 21, shown: shown - 1 }, 'was deleted');
  t.match(
    await again(2_600, ['batch_600'], ['batch_599']),
    { pages: 27, shown, oldest: 'batch_600' },
    'the one before the list was deleted',
  );
});

test('a list of batches has a bounded number of pages', async (t) => {
  const most = PAGES_MAX * LIMITS.batchesListed;
  const from = { batches: [], skipped: null };
  const read = (count: number) => listBatches(batchList(count).readPage, from, () => {});
  t.equal((await read(most)).batches[0]?.id, `batch_${most - 1}`);
  await t.rejects(read(most + 1), /more than 100000 batches/);
});

test('a list with more pages than requests per minute is read in several minutes', async (t) => {
  const { asked, readPage } = batchList(5_050);
  let [left, minutes]: [number, number] = [0, 0];
  const limited = (query: string) => {
    if (left === 0) throw new CallError(429, 'rate_limited', 'wait', 60);
    left -= 1;
    return readPage(query);
  };
  let from: BegunList = { batches: [], skipped: null };
  for (;;) {
    [left, minutes] = [20, minutes + 1];
    const listed = await listBatches(limited, from, (stopped) => {
      from = stopped;
    }).catch((error) => error);
    if (listed instanceof Error) continue;
    t.equal(listed.batches.length, BATCHES_SHOWN_MAX);
    t.match([listed.batches[0].id, listed.skipped], ['batch_5049', 'batch_3049']);
    break;
  }
  t.strictSame([minutes, asked.length, new Set(asked).size], [3, 51, 51], 'no page is read twice');
});
