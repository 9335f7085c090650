import { ActionButton } from './action-button.js';
import { count, whole } from './format-values.js';

interface PageControlsProps {
  /** Rows before the page. */
  readonly offset: number;
  /** Rows of the page. */
  readonly rows: number;
  /** Rows of all pages. */
  readonly total: number;
  /** What is counted, such as `workspace`; several are called so with an s. */
  readonly what: string;
  /** Null: this is the first page. */
  readonly onPrevious: (() => void) | null;
  /** Null: this is the last page. */
  readonly onNext: (() => void) | null;
}

/** The rows that are shown of how many, and buttons for the other pages. */
export function PageControls({ offset, rows, total, what, onPrevious, onNext }: PageControlsProps) {
  const all = count(total, what);
  return (
    <div class="actions">
      <span role="status" class="muted">
        {rows === total || rows === 0 ? all : `${whole(offset + 1)} to ${whole(offset + rows)} of ${all}`}
      </span>
      {rows < total && (
        <>
          <ActionButton off={onPrevious === null} onClick={() => onPrevious?.()}>
            Previous
          </ActionButton>
          <ActionButton off={onNext === null} onClick={() => onNext?.()}>
            Next
          </ActionButton>
        </>
      )}
    </div>
  );
}
