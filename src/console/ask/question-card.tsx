import { LIMITS, OPTION_KINDS, type OptionKind, QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import { ActionButton } from '../ui/action-button.js';
import { leaveItem } from '../ui/leave-item.js';
import { type OptionDraft, option, optionsFor, type QuestionDraft } from './ask-draft.js';

interface QuestionCardProps {
  readonly question: QuestionDraft;
  /** From 1. */
  readonly place: number;
  readonly change: (question: QuestionDraft) => void;
  /** Null: it is the only question. */
  readonly remove: (() => void) | null;
}

const MEANINGS: Record<QuestionType, string> = {
  noul: 'noul (yes or no)',
  choice: 'choice (labels)',
  score: 'score (levels)',
};

/** The form of one question. */
export function QuestionCard({ question, place, change, remove }: QuestionCardProps) {
  const { name, type, instructions } = question;
  const called = `Question ${place}`;
  return (
    <fieldset class="question">
      <legend>{called}</legend>
      <div class="row">
        <label>
          Name
          <input
            type="text"
            value={name}
            spellcheck={false}
            onInput={({ currentTarget }) => change({ ...question, name: currentTarget.value })}
          />
        </label>
        <label>
          Type
          <select
            value={type}
            onChange={({ currentTarget }) => {
              const chosen = currentTarget.value as QuestionType;
              change({ ...question, type: chosen, options: optionsFor(chosen) });
            }}
          >
            {QUESTION_TYPES.map((each) => (
              <option key={each} value={each}>
                {MEANINGS[each]}
              </option>
            ))}
          </select>
        </label>
        {remove !== null && (
          <button
            type="button"
            class="quiet"
            aria-label={`Remove question ${place}`}
            onClick={({ currentTarget }) => {
              leaveItem(currentTarget.closest('fieldset') ?? currentTarget);
              remove();
            }}
          >
            Remove
          </button>
        )}
      </div>
      <label>
        Instructions
        <textarea
          rows={2}
          value={instructions}
          placeholder="The question in plain language"
          onInput={({ currentTarget }) => change({ ...question, instructions: currentTarget.value })}
        />
      </label>
      <Options question={question} change={change} />
    </fieldset>
  );
}

function Options({ question, change }: Pick<QuestionCardProps, 'question' | 'change'>) {
  const { type, options } = question;
  const set = (next: readonly OptionDraft[]) => change({ ...question, options: next });
  const replace = (changed: OptionDraft) =>
    set(options.map((each) => (each.id === changed.id ? changed : each)));
  const kind = OPTION_KINDS[type];
  const least = kind === 'levels' ? LIMITS.scoreLevelsMin : 1;
  return (
    <>
      <ol
        class="options"
        start={kind === 'levels' ? 0 : 1}
        aria-label={kind === 'levels' ? 'Levels, lowest first' : 'Options'}
      >
        {options.map((each, at) => (
          <li key={each.id}>
            <OptionRow kind={kind} at={at} value={each} change={replace} />
            {kind !== 'sides' && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${nameOf(kind, at)}`}
                disabled={options.length <= least}
                onClick={({ currentTarget }) => {
                  leaveItem(currentTarget.closest('li') ?? currentTarget);
                  set(options.filter(({ id }) => id !== each.id));
                }}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ol>
      {kind !== 'sides' && (
        <ActionButton
          quiet
          off={options.length >= LIMITS.optionsPerQuestion}
          onClick={() => set([...options, option()])}
        >
          {kind === 'levels' ? 'Add a level' : 'Add an option'}
        </ActionButton>
      )}
    </>
  );
}

const nameOf = (kind: OptionKind, at: number): string =>
  kind === 'levels' ? `level ${at}` : `option ${at + 1}`;

interface OptionRowProps {
  readonly kind: OptionKind;
  readonly at: number;
  readonly value: OptionDraft;
  readonly change: (value: OptionDraft) => void;
}

function OptionRow({ kind, at, value, change }: OptionRowProps) {
  const { label, description } = value;
  const subject = kind === 'sides' ? label : nameOf(kind, at);
  return (
    <>
      {kind === 'sides' && <span class="side">{label}</span>}
      {kind === 'levels' && <span class="side">{at}</span>}
      {kind === 'labels' && (
        <input
          type="text"
          class="label"
          aria-label={`Label of ${subject}`}
          placeholder="label"
          value={label}
          onInput={({ currentTarget }) => change({ ...value, label: currentTarget.value })}
        />
      )}
      <input
        type="text"
        aria-label={`Description of ${subject}`}
        placeholder={kind === 'levels' ? `Level ${at}` : 'description, optional'}
        value={description}
        onInput={({ currentTarget }) => change({ ...value, description: currentTarget.value })}
      />
    </>
  );
}
