import { useEffect } from 'preact/hooks';
import { PageControls } from '../ui/page-controls.js';
import { type PageAt, type PagePart, pageInstead } from './page-at.js';
import type { PageState } from './use-page.js';

interface ListPagesProps {
  readonly state: PageState;
  /** The page that is shown, and how it was asked for; another object for each read. */
  readonly part: PagePart & { readonly at: PageAt; readonly sort: string };
  /** Rows of the page. */
  readonly rows: number;
  /** What is counted, such as `workspace`; several are called so with an s. */
  readonly what: string;
}

/** The controls of a list of which the server sends pages. The pages beside one are those of its first and last row. */
export function ListPages({ state, part, rows, what }: ListPagesProps) {
  const { total, offset, next, previous } = part;
  const instead = pageInstead(part.at, part, rows);
  useEffect(() => {
    if (instead !== null) state.onPage(instead);
  }, [part]);
  const before = previous === null ? instead : { before: previous };
  const after = next === null ? null : { after: next };
  // Until a page in another order has arrived, there is no place to go on from.
  const go = (at: PageAt | null) => (at === null || part.sort !== state.sort ? null : () => state.onPage(at));
  return (
    <PageControls
      offset={offset}
      rows={rows}
      total={total}
      what={what}
      onPrevious={go(before)}
      onNext={go(after)}
    />
  );
}
