import type { Limits } from '../api/api-types.js';
import { count, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { batchCost } from './batch-cost.js';
import type { CheckedFile } from './check-file.js';

interface EstimateNoteProps {
  readonly checked: Pick<CheckedFile, 'tokens' | 'taskLines'>;
  readonly limits: Limits;
}

/** What a batch will cost about, before it is submitted. */
export function EstimateNote({ checked: { tokens, taskLines }, limits }: EstimateNoteProps) {
  const estimate = batchCost(tokens, limits);
  return (
    <>
      {estimate !== null && (
        <p class="muted">
          Estimate:{' '}
          <strong>
            {estimate.cost === null ? (
              'not known'
            ) : (
              <Money amount={estimate.cost} currency={limits.currency} />
            )}
          </strong>{' '}
          for {whole(estimate.tokens)} tokens, one for every four bytes of a line. The charge counts the
          tokens that the model reads: it can be lower, or several times higher.
        </p>
      )}
      {taskLines > 0 && (
        <p class="warning">
          The cost of {count(taskLines, 'line that names', 'lines that name')} a task is not known before the
          batch is submitted{estimate !== null && ', and is not part of the estimate'}.
        </p>
      )}
    </>
  );
}
