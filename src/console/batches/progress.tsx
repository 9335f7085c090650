import type { Batch } from '../api/types.js';
import { count, percent, whole } from '../ui/format.js';

/** How many lines of a batch are answered, failed and pending. */
export function Progress({ batch }: { readonly batch: Batch }) {
  const { lines, counts } = batch;
  const done = lines === 0 ? 1 : (counts.done + counts.failed) / lines;
  const width = (part: number) => ({ width: `${lines === 0 ? 0 : (part / lines) * 100}%` });
  return (
    <div class="batch-progress">
      <div
        class="stack"
        role="progressbar"
        aria-label="Lines that are answered or have failed"
        aria-valuemin={0}
        aria-valuemax={lines}
        aria-valuenow={counts.done + counts.failed}
        aria-valuetext={`${percent(done)} of ${count(lines, 'line')}`}
      >
        <span class="done" style={width(counts.done)} />
        <span class="failed" style={width(counts.failed)} />
      </div>
      <p role="status">
        {percent(done)}: {whole(counts.done)} answered, {whole(counts.failed)} failed, {whole(counts.pending)}{' '}
        pending
      </p>
    </div>
  );
}
