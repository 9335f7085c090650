import type { PageState } from './use-page.js';

interface ListFiltersProps {
  readonly state: PageState;
  /** The orders, with their names. */
  readonly sorts: ReadonlyArray<readonly [value: string, name: string]>;
}

/** A search in a list, and its order. */
export const ListFilters = ({ state: { search, sort, onSearch, onSort }, sorts }: ListFiltersProps) => (
  <div class="row filters">
    <label class="inline">
      Search
      <input
        type="text"
        value={search}
        maxLength={100}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
      />
    </label>
    <label class="inline">
      Order
      <select value={sort} onChange={({ currentTarget }) => onSort(currentTarget.value)}>
        {sorts.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  </div>
);
