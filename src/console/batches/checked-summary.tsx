import type { Limits } from '../api/api-types.js';
import { shownModel } from '../ask/models.js';
import { bytes, count, whole } from '../ui/format-values.js';
import type { CheckedFile } from './check-file.js';
import { unlistedModels } from './unlisted-models.js';

/** Models that are named; a file can name a model of its own in every line. */
const MODELS_SHOWN_MAX = 10;

interface CheckedSummaryProps {
  readonly file: File;
  readonly checked: CheckedFile;
  readonly limits: Limits;
}

/** What is known of a batch file before it is sent. */
export function CheckedSummary({ file, checked, limits }: CheckedSummaryProps) {
  const { lines, models, taskLines, invalidLines, problem } = checked;
  if (problem !== null) {
    return (
      <p class="warning">
        {file.name}: {problem}
      </p>
    );
  }
  const unlisted = unlistedModels(checked, limits);
  return (
    <>
      <p>
        <strong>{file.name}</strong>: {count(lines, 'line')}, {bytes(file.size)}
        {models.slice(0, MODELS_SHOWN_MAX).map(([model, uses]) => (
          <span key={model} class="muted">
            {' '}
            · {count(uses, 'line')} for {shownModel(model)}
          </span>
        ))}
        {models.length > MODELS_SHOWN_MAX && (
          <span class="muted"> · {count(models.length - MODELS_SHOWN_MAX, 'other model')}</span>
        )}
        {taskLines > 0 && <span class="muted"> · {count(taskLines, 'line')} for tasks</span>}
        {invalidLines > 0 && (
          <strong class="warning">
            {' '}
            {invalidLines === 1 ? '1 line is invalid' : `${whole(invalidLines)} lines are invalid`}
          </strong>
        )}
      </p>
      {unlisted !== null && (
        <p class="warning">
          {count(unlisted.lines, 'line names', 'lines name')} a model that the limits of the key do not list:{' '}
          {namesOf(unlisted.models)}. The server decides whether the key may use it; Usage has the models.
        </p>
      )}
    </>
  );
}

/** The first names, and how many others there are. */
function namesOf(models: readonly string[]): string {
  const shown = models.slice(0, MODELS_SHOWN_MAX).map((each) => JSON.stringify(shownModel(each)));
  const others = models.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? ` and ${count(others, 'other')}` : ''}`;
}
