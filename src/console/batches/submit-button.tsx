import { ActionButton } from '../ui/action-button.js';
import { count, percent, time } from '../ui/format-values.js';
import { isRepeatable, type Submission } from './next-submission.js';

interface SubmitButtonProps {
  readonly lines: number;
  /** The last submission of the same file. */
  readonly prior: Submission | null;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The part of the file that has been sent; null: it is not being sent. */
  readonly sent: number | null;
  readonly onSubmit: (repeats: number) => void;
}

/** Submits a file, once: a file that has a batch already is submitted again only on purpose. */
export function SubmitButton({ lines, prior, now, sent, onSubmit }: SubmitButtonProps) {
  const all = count(lines, 'line');
  if (sent !== null) {
    return (
      <div class="actions">
        <ActionButton primary off onClick={() => {}}>
          Submitting…
        </ActionButton>
        <progress aria-label="Part of the file that is sent" value={sent} />
        <span class="muted">{sent < 1 ? `${percent(sent)} is sent` : 'The server checks the file.'}</span>
      </div>
    );
  }
  if (prior !== null && !isRepeatable(prior, now)) {
    return (
      <>
        <Prior prior={prior} />
        <div class="actions">
          <ActionButton once off={false} onClick={() => onSubmit(prior.repeats + 1)}>
            Submit {all} again
          </ActionButton>
          <span class="muted">
            This makes {prior.batch === null ? 'another' : 'a second'} batch, which is charged too.
          </span>
        </div>
      </>
    );
  }
  return (
    <div class="actions">
      <ActionButton primary once off={false} onClick={() => onSubmit(prior?.repeats ?? 0)}>
        Submit {all}
      </ActionButton>
      <span class="muted">
        {prior === null
          ? 'An interrupted submission'
          : 'The last submission of this file was interrupted. It'}{' '}
        can be repeated: it makes one batch only.
      </span>
    </div>
  );
}

/** What is known of a submission that cannot be repeated without a further charge. */
function Prior({ prior: { batch, at } }: { readonly prior: Submission }) {
  const when = time(new Date(at).toISOString());
  if (batch === null) {
    return (
      <p class="warning">
        This file was submitted {when}, and the response did not arrive. The server may have made a batch of
        it: look at the list of batches first.
      </p>
    );
  }
  return (
    <p class="warning">
      This file is already{' '}
      <a href={`#/batches/${batch}`}>
        <code>{batch}</code>
      </a>
      , submitted {when}.
    </p>
  );
}
