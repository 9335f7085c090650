import type { Limits } from '../api/api-types.js';
import { ActionButton } from '../ui/action-button.js';
import { money } from '../ui/format-values.js';
import { leaveItem } from '../ui/leave-item.js';
import type { Draft } from './ask-draft.js';
import { isSame } from './kept-draft.js';
import { costOf, modelOfDraft, shownModel } from './models.js';
import { SPREAD_ASKS } from './spread.js';
import { UndoNote } from './undo-note.js';
import type { Answered, Asking } from './use-asking.js';
import type { WrittenDraft } from './use-draft.js';

interface AskBarProps {
  readonly limits: Limits;
  readonly written: WrittenDraft;
  readonly asking: Asking;
}

/** The end of the form: the model, the buttons that ask, and the one that undoes a replacement. */
export function AskBar({ limits, written, asking }: AskBarProps) {
  const { draft, change } = written;
  const { progress, run, stop } = asking;
  const price = spreadPrice(asking.answered, draft, limits);
  const domain = modelOfDraft(draft, limits)?.domain ?? null;
  return (
    <div class="actions ask-bar">
      <UndoNote written={written} />
      <ModelChoice limits={limits} model={draft.model} onChange={(model) => change({ model })} />
      <ActionButton primary once off={progress !== null} title="Ctrl+Enter" onClick={() => run(false)}>
        Ask
      </ActionButton>
      <ActionButton once off={progress !== null} onClick={() => run(true)}>
        Ask {SPREAD_ASKS} times{price === null ? '' : ` (${price})`}
      </ActionButton>
      {progress !== null && (
        <button
          type="button"
          onClick={({ currentTarget }) => {
            leaveItem(currentTarget);
            stop();
          }}
        >
          Stop
        </button>
      )}
      {domain !== null && (
        <p id="model-domain" class="muted">
          Trained for {domain} only: its answers to anything else are guesses.
        </p>
      )}
    </div>
  );
}

/** What asking the same often costs; null: it is not known before the request was answered once. */
function spreadPrice(answered: Answered | null, draft: Draft, limits: Limits): string | null {
  if (answered === null || !isSame(answered.draft, draft)) return null;
  const { model, usage } = answered.outcome.response;
  const cost = costOf(usage.input_tokens * SPREAD_ASKS, model, limits, 'live');
  return cost === null ? null : money(cost, limits.currency);
}

interface ModelChoiceProps {
  readonly limits: Limits;
  readonly model: string;
  readonly onChange: (model: string) => void;
}

const ModelChoice = ({ limits: { models }, model, onChange }: ModelChoiceProps) => (
  <label class="inline">
    Model
    <select
      value={model}
      aria-describedby="model-domain"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{defaultText(models)}</option>
      {models.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
      {model !== '' && !models.some(({ id }) => id === model) && (
        <option value={model}>{shownModel(model)}</option>
      )}
    </select>
  </label>
);

/** The name of the default model; the key may not use it, or the endpoint may serve another one. */
function defaultText(models: Limits['models']): string {
  const model = models.find((each) => each.default);
  return model === undefined ? 'the default model' : `${model.id} (default)`;
}
