import { LIMITS, OPTION_KINDS, type OptionKind, QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import { ActionButton } from '../ui/action-button.js';
import { leaveItem } from '../ui/leave-item.js';
import { type OptionDraft, option, type QuestionDraft, withType } from './ask-draft.js';

interface QuestionCardProps {
  readonly question: QuestionDraft;
  /** From 1. */
  readonly place: number;
  readonly change: (question: QuestionDraft) => void;
  /** Null: it is the only question. */
  readonly remove: (() => void) | null;
  /** Replaces the question by one with an option less. `what`: as a sentence. */
  readonly removeOption: (question: QuestionDraft, what: string) => void;
  /** What is to be corrected; null: nothing is known. */
  readonly wrong: WrongPart | null;
}

/** A part of a question that is wrong, and why. */
export interface WrongPart {
  readonly part: 'name' | 'instructions' | 'options';
  readonly message: string;
}

const MEANINGS: Record<QuestionType, string> = {
  noul: 'Yes or no (noul)',
  choice: 'A label (choice)',
  score: 'A level (score)',
};

/** The form of one question. */
export function QuestionCard(props: QuestionCardProps) {
  const { question, place, change, remove, removeOption, wrong } = props;
  const { name, type, instructions } = question;
  const called = `Question ${place}`;
  const wrongId = `wrong-question-${place}`;
  const marked = (part: WrongPart['part']) =>
    wrong?.part === part ? { 'aria-invalid': true, 'aria-describedby': wrongId } : {};
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
            dir="auto"
            {...marked('name')}
            onInput={({ currentTarget }) => change({ ...question, name: currentTarget.value })}
          />
        </label>
        <label>
          Type
          <select
            value={type}
            onChange={({ currentTarget }) => change(withType(question, currentTarget.value as QuestionType))}
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
          dir="auto"
          {...marked('instructions')}
          placeholder="The question in plain language"
          onInput={({ currentTarget }) => change({ ...question, instructions: currentTarget.value })}
        />
      </label>
      <Options
        question={question}
        change={change}
        removeOption={removeOption}
        isWrong={wrong?.part === 'options'}
        wrongId={wrongId}
      />
      {wrong !== null && (
        <p id={wrongId} class="under warning">
          {wrong.message}
        </p>
      )}
    </fieldset>
  );
}

interface OptionsProps extends Pick<QuestionCardProps, 'question' | 'change' | 'removeOption'> {
  readonly isWrong: boolean;
  /** The id of the text that says what is wrong. */
  readonly wrongId: string;
}

function Options({ question, change, removeOption, isWrong, wrongId }: OptionsProps) {
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
            <OptionRow kind={kind} at={at} value={each} change={replace} wrongId={isWrong ? wrongId : null} />
            {kind !== 'sides' && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${nameOf(kind, at)}`}
                disabled={options.length <= least}
                onClick={({ currentTarget }) => {
                  leaveItem(currentTarget.closest('li') ?? currentTarget);
                  const left = options.filter(({ id }) => id !== each.id);
                  removeOption({ ...question, options: left }, `The ${nameOf(kind, at)} is removed.`);
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
  /** The id of the text that says what is wrong with the options; null: nothing is. */
  readonly wrongId: string | null;
}

function OptionRow({ kind, at, value, change, wrongId }: OptionRowProps) {
  const { label, description } = value;
  const common = {
    type: 'text',
    dir: 'auto',
    ...(wrongId !== null && { 'aria-invalid': true, 'aria-describedby': wrongId }),
  } as const;
  const subject = kind === 'sides' ? label : nameOf(kind, at);
  return (
    <>
      {kind === 'sides' && <span class="side">{label}</span>}
      {kind === 'levels' && <span class="side">{at}</span>}
      {kind === 'labels' && (
        <input
          {...common}
          class="label"
          aria-label={`Label of ${subject}`}
          placeholder="label"
          value={label}
          onInput={({ currentTarget }) => change({ ...value, label: currentTarget.value })}
        />
      )}
      <input
        {...common}
        aria-label={`Description of ${subject}`}
        placeholder={kind === 'levels' ? `Level ${at}` : 'description, optional'}
        value={description}
        onInput={({ currentTarget }) => change({ ...value, description: currentTarget.value })}
      />
    </>
  );
}
