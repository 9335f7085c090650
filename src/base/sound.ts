import { StoreError } from './operator-error.js';

/** What `read` makes of each item. Those for which it throws StoreError are left out, and reported. */
export function soundOf<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Value,
  onDamaged: (error: StoreError) => void,
): Value[] {
  const values: Value[] = [];
  for (const item of items) {
    try {
      values.push(read(item));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      onDamaged(error);
    }
  }
  return values;
}
