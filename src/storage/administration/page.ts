/** The part of a list that is asked for. Absent fields: no restriction. */
export interface Page {
  /** A text that an item must hold. */
  readonly search?: string;
  /** The field by which items are sorted; with `-` before it, the largest first. */
  readonly sort?: string;
  /** Items that are left out at the beginning. */
  readonly offset?: number;
  readonly limit?: number;
}

/** Values by which items are sorted, by the name of the field. */
type SortFields<Item> = Readonly<Record<string, (item: Item) => string | number>>;

/**
 * The items of a page, and how many there are on all pages. Items with equal values keep their order. Without `sort`, items
 * with a text that is equal to the search come first.
 *
 * @param textsOf what a search looks at
 */
export function pageOf<Item>(
  items: readonly Item[],
  { search, sort, offset = 0, limit }: Page,
  textsOf: (item: Item) => readonly string[],
  fields: SortFields<Item>,
): { readonly items: readonly Item[]; readonly total: number } {
  const wanted = search?.toLowerCase();
  const found =
    wanted === undefined
      ? items
      : items.filter((item) => textsOf(item).some((text) => text.toLowerCase().includes(wanted)));
  const value = sort === undefined ? undefined : fields[sort.replace('-', '')];
  const isOther = (item: Item) => Number(!textsOf(item).some((text) => text.toLowerCase() === wanted));
  const sorted = sortedBy(
    found,
    value ?? (wanted === undefined ? () => 0 : isOther),
    sort?.startsWith('-') ? -1 : 1,
  );
  return {
    items: sorted.slice(offset, limit === undefined ? undefined : offset + limit),
    total: found.length,
  };
}

function sortedBy<Item>(
  items: readonly Item[],
  value: (item: Item) => string | number,
  sign: 1 | -1,
): Item[] {
  return [...items].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    return first === second ? 0 : first < second ? -sign : sign;
  });
}
