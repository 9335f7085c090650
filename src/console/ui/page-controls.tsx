import { useEffect } from 'preact/hooks';
import { ActionButton } from './action-button.js';
import { count, whole } from './format-values.js';
import { lastPage, PAGE_ROWS } from './pages.js';

interface PageControlsProps {
  /** Of the rows that are shown, from 0. */
  readonly page: number;
  /** Rows of all pages. */
  readonly total: number;
  /** What is counted, such as `workspace`; several are called so with an s. */
  readonly what: string;
  readonly onPage: (page: number) => void;
}

/** The rows that are shown of how many, and buttons for the other pages. */
export function PageControls({ page, total, what, onPage }: PageControlsProps) {
  const last = lastPage(total);
  // There may be fewer rows than when the page was chosen.
  useEffect(() => {
    if (page > last) onPage(last);
  }, [page, last]);
  const [from, to] = [page * PAGE_ROWS + 1, Math.min(total, (page + 1) * PAGE_ROWS)];
  return (
    <div class="actions">
      <span role="status" class="muted">
        {total <= PAGE_ROWS ? count(total, what) : `${whole(from)} to ${whole(to)} of ${count(total, what)}`}
      </span>
      {last > 0 && (
        <>
          <ActionButton off={page === 0} onClick={() => onPage(page - 1)}>
            Previous
          </ActionButton>
          <ActionButton off={page >= last} onClick={() => onPage(page + 1)}>
            Next
          </ActionButton>
        </>
      )}
    </div>
  );
}
