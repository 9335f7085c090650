import { DEFAULT_IMAGE_BUDGET, IMAGE_BUDGETS, QUESTION_TYPES, type QuestionType } from '../../api/index.js';
import { BrowserStore } from '../ui/browser-store.js';
import { HeldValue } from '../ui/held-value.js';
import { type Draft, nextId, type OptionDraft, type QuestionDraft } from './ask-draft.js';
import { FIRST_DRAFT } from './examples.js';

/** A draft of a tab, and the link that was opened last, whose request has become part of it. */
interface KeptDraft {
  readonly draft: Draft;
  /** Null: none was opened. */
  readonly shared: string | null;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function optionOf(stored: unknown): OptionDraft {
  const { label, description } = fieldsOf(stored);
  return { id: nextId(), label: textOf(label), description: textOf(description) };
}

function questionOf(stored: unknown): QuestionDraft {
  const { name, type, instructions, options, others } = fieldsOf(stored);
  const kept = Object.entries(fieldsOf(others)).filter(([each]) =>
    QUESTION_TYPES.includes(each as QuestionType),
  );
  return {
    id: nextId(),
    name: textOf(name),
    type: QUESTION_TYPES.find((each) => each === type) ?? 'noul',
    instructions: textOf(instructions),
    options: listOf(options).map(optionOf),
    others: Object.fromEntries(kept.map(([each, list]) => [each, listOf(list).map(optionOf)])),
  };
}

/** The draft that was stored, without its images: they are files. */
export function draftOf(stored: unknown): Draft {
  const { stateKind, state, questionsKind, questions, questionsJson, model, imageBudget } = fieldsOf(stored);
  const read = listOf(questions).map(questionOf);
  return {
    stateKind: stateKind === 'json' ? 'json' : 'text',
    state: textOf(state),
    images: [],
    questionsKind: questionsKind === 'json' ? 'json' : 'form',
    questions: read.length === 0 ? FIRST_DRAFT.questions : read,
    questionsJson: textOf(questionsJson),
    model: textOf(model),
    imageBudget: IMAGE_BUDGETS.find((each) => each === imageBudget) ?? DEFAULT_IMAGE_BUDGET,
  };
}

const STORE = new BrowserStore<KeptDraft>('decider.draft', 'tab', (stored) => {
  const { draft, shared } = fieldsOf(stored);
  return { draft: draftOf(draft), shared: typeof shared === 'string' ? shared : null };
});

/** What outlives a view that is replaced by the form for a key, with the images. */
const held = new HeldValue<KeptDraft | null>(() => null);

/** The draft of this tab; that of the first visit if there is none. */
export function readDraft(): KeptDraft {
  held.value ??= STORE.read() ?? { draft: FIRST_DRAFT, shared: null };
  return held.value;
}

/** Holds the draft until the page is left. */
export function holdDraft(kept: KeptDraft): void {
  held.value = kept;
}

/** Keeps the draft until the tab is closed. Whether everything of it outlives a reload: images and very long states do not. */
export function keepDraft(kept: KeptDraft): boolean {
  held.value = kept;
  return STORE.write({ ...kept, draft: { ...kept.draft, images: [] } }) && kept.draft.images.length === 0;
}

/** Whether two drafts are the same request. */
export function isSame(one: Draft, other: Draft): boolean {
  if (one === other) return true;
  const rest = ({ images, state, ...others }: Draft) => JSON.stringify(others, withoutIds);
  const sameImages =
    one.images.length === other.images.length && one.images.every((image, at) => image === other.images[at]);
  return one.state === other.state && sameImages && rest(one) === rest(other);
}

const withoutIds = (name: string, value: unknown): unknown =>
  name === 'id' || name === 'others' ? undefined : value;
