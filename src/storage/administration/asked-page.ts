import type { Listed, ListPage, ListPlace } from '../../access/index.js';

/** A page that may end before a place, in place of beginning after one. */
export type AskedPage<Page extends ListPage> = Page & {
  /** Only items before this place, the last of them. */
  readonly before?: ListPlace;
};

/** Reads a page. What comes before a place comes after it in the opposite order. */
export async function readAsked<Page extends ListPage, Item>(
  { before, ...page }: AskedPage<Page>,
  read: (page: Page) => Promise<Listed<Item>>,
): Promise<Listed<Item>> {
  const forwards = page as unknown as Page;
  if (before === undefined) return read(forwards);
  const found = await read({ ...forwards, after: before, descending: !page.descending });
  const { items, total } = found;
  return { items: [...items].reverse(), total, offset: total - found.offset - items.length };
}

/** The cursors of a page for those beside it; null: there is none, or the page is empty. */
export interface Cursors {
  readonly next: string | null;
  readonly previous: string | null;
}

/** @param cursorOf the cursor of an item */
export function cursorsOf<Item>(
  { items, total, offset }: Listed<Item>,
  cursorOf: (item: Item) => string,
): Cursors {
  const [first, last] = [items[0], items.at(-1)];
  return {
    next: last === undefined || offset + items.length >= total ? null : cursorOf(last),
    previous: first === undefined || offset === 0 ? null : cursorOf(first),
  };
}
