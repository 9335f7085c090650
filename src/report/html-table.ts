import { type Html, html } from './html.js';

/** A column of a table. Numbers are aligned at the right. */
export interface Column {
  readonly title: string;
  readonly kind: 'text' | 'number';
}

/** A value, or a value with a second line in small print, such as its interval. */
export type Cell = string | readonly [value: string, small: string];

/**
 * A table with a caption; the first cell of a row is its header. Scrolls sideways in its own box if it is wider than the
 * page.
 *
 * @param classes of each row
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  classes: readonly string[] = [],
): Html {
  const cell = (value: Cell, index: number) => {
    const text = typeof value === 'string' ? html`${value}` : html`${value[0]}<small>${value[1]}</small>`;
    const kind = columns[index]?.kind ?? 'text';
    return index === 0
      ? html`<th scope="row" class="${kind}">${text}</th>`
      : html`<td class="${kind}">${text}</td>`;
  };
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map(({ title, kind }) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${rows.map((cells, at) => html`<tr${rowClass(classes[at])}>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>`;
}

const rowClass = (names: string | undefined) => (names === undefined ? null : html` class="${names}"`);

/** A list of names and values, such as what was measured. */
export function facts(entries: readonly (readonly [name: string, value: string])[]): Html {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Content that is shown on request; print leaves it out. */
export function details(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary>${content}</details>`;
}

/** Tables and figures side by side where there is room. */
export function beside(content: readonly Html[]): Html {
  return html`<div class="beside">${content}</div>`;
}
