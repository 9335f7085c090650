import type { Limits } from '../api/api-types.js';
import { costOf } from '../ask/ask.js';
import { whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';

interface EstimateNoteProps {
  /** Estimated input tokens by model. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly limits: Limits;
}

/** What a batch will cost about, before it is submitted. */
export function EstimateNote({ tokens, limits }: EstimateNoteProps) {
  const costs = [...tokens].map(([model, count]) => costOf(count, model, limits, 'batch'));
  const all = [...tokens.values()].reduce((sum, count) => sum + count, 0);
  const cost = costs.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
  return (
    <p class="muted">
      Estimate:{' '}
      <strong>{cost === null ? 'not known' : <Money amount={cost} currency={limits.currency} />}</strong> for{' '}
      {whole(all)} tokens, one for every four bytes of a line. The charge counts the tokens that the model
      reads: it can be lower, or several times higher.
    </p>
  );
}
