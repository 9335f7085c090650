import { useMemo } from 'preact/hooks';
import { count as counted, percent, whole } from '../ui/format-values.js';
import { distributionOf, ERRORS, firstOf, type ResultRow } from './shown-results.js';

interface DistributionProps {
  readonly rows: readonly ResultRow[];
  readonly question: string;
  /** Lines without an answer. */
  readonly failed: number;
  /** The answer by which the table is filtered; null: by none. */
  readonly shown: string | null;
  readonly onShow: (value: string | null) => void;
}

/** How often each answer was given; each is also a filter of the table. */
export function Distribution({ rows, question, failed, shown, onShow }: DistributionProps) {
  const counts = useMemo(() => distributionOf(rows, question), [rows, question]);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const { first, others, lines } = firstOf(counts);
  const entries = failed === 0 ? first : [...first, [ERRORS, failed] as const];
  return (
    <fieldset class="distribution">
      <legend>Answers; choose one to see its lines</legend>
      <ul class="meters">
        {entries.map(([value, count]) => (
          <li key={value}>
            <button
              type="button"
              class="meter quiet"
              aria-pressed={shown === value}
              onClick={() => onShow(shown === value ? null : value)}
            >
              <span class="name" dir="auto">
                {value === ERRORS ? 'no answer' : value}
              </span>
              <span class="track" aria-hidden="true">
                <span class="fill" style={{ width: `${(count / Math.max(1, all + failed)) * 100}%` }} />
              </span>
              <span class="value">
                {whole(count)} <small>{percent(count / Math.max(1, all + failed))}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p class="muted">
          {counted(others, 'other answer')} in {counted(lines, 'line')}.
        </p>
      )}
    </fieldset>
  );
}
