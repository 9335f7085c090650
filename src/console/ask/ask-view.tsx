import { useEffect, useRef, useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { ActionButton } from '../ui/action-button.js';
import { ErrorNote } from '../ui/error-note.js';
import { leaveItem } from '../ui/leave-item.js';
import { askOften, askOnce, type Outcome } from './ask.js';
import type { Draft } from './ask-draft.js';
import { exampleImage } from './ask-images.js';
import { CodePanel } from './code-panel.js';
import { EXAMPLES, type Example, FIRST_DRAFT } from './examples.js';
import { ImagesPanel } from './images-panel.js';
import { OutcomePanel } from './outcome-panel.js';
import { QuestionsPanel } from './questions-panel.js';
import { buildRequest } from './request.js';
import { unpackDraft } from './share.js';
import { SPREAD_ASKS } from './spread.js';
import { StatePanel } from './state-panel.js';

/** What outlives a view that is replaced by the form for a key: the draft, and the link that was last opened. */
const kept = { draft: FIRST_DRAFT, shared: null as string | null };

interface AskViewProps {
  readonly api: Api;
  readonly limits: Limits;
  /** The request of a shared link; null if there is none. */
  readonly shared: string | null;
}

/** One request and its answers. */
export function AskView({ api, limits, shared }: AskViewProps) {
  const [draft, setDraft] = useState<Draft>(kept.draft);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<string | null>(null);
  const asking = useRef<AbortController | null>(null);
  const answers = useRef<HTMLElement>(null);
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));

  useEffect(() => {
    if (shared === null || shared === kept.shared) return;
    kept.shared = shared;
    unpackDraft(shared).then(setDraft, setError);
  }, [shared]);
  useEffect(() => {
    kept.draft = draft;
  }, [draft]);
  useEffect(() => () => asking.current?.abort(), []);
  useEffect(() => {
    if (answers.current !== null && (outcome !== null || error !== null)) reveal(answers.current);
  }, [outcome, error]);

  const run = async (often: boolean) => {
    const control = new AbortController();
    asking.current = control;
    setError(null);
    setProgress(often ? `Asking, 0 of ${SPREAD_ASKS}` : 'Asking');
    try {
      const request = buildRequest(draft);
      const onDone = (done: number) => setProgress(`Asking, ${done} of ${SPREAD_ASKS}`);
      const { signal } = control;
      setOutcome(await (often ? askOften(api, request, signal, onDone) : askOnce(api, request, signal)));
    } catch (thrown) {
      if (control.signal.aborted) return;
      setError(thrown);
      setOutcome(null);
      control.abort();
    } finally {
      setProgress(null);
    }
  };
  const start = async ({ readsImages, draft: make }: Example) => {
    change({ ...make(), ...(readsImages && { images: [await exampleImage()] }) });
    setOutcome(null);
    setError(null);
  };
  const readsImages = canReadImages(draft.model, limits);
  return (
    <div class="columns">
      <h1 class="hidden">Ask</h1>
      <form
        class="column"
        aria-label="Request"
        onSubmit={(event) => {
          event.preventDefault();
          if (progress === null) run(false);
        }}
      >
        <Examples readsImages={readsImages} start={start} />
        <StatePanel draft={draft} change={change} />
        {(readsImages || draft.images.length > 0) && <ImagesPanel draft={draft} change={change} />}
        <QuestionsPanel draft={draft} change={change} />
        <div class="actions">
          <ModelChoice limits={limits} model={draft.model} onChange={(model) => change({ model })} />
          <ActionButton primary off={progress !== null}>
            Ask
          </ActionButton>
          <ActionButton off={progress !== null} onClick={() => run(true)}>
            Ask {SPREAD_ASKS} times
          </ActionButton>
          {progress !== null && (
            <button
              type="button"
              onClick={({ currentTarget }) => {
                leaveItem(currentTarget);
                asking.current?.abort();
              }}
            >
              Stop
            </button>
          )}
        </div>
      </form>
      <div class="column">
        <section ref={answers} class="panel" aria-labelledby="answers-title" aria-busy={progress !== null}>
          <h2 id="answers-title">Answers</h2>
          <p role="status" class="muted progress-line">
            {progress ?? (outcome === null ? '' : 'Answered.')}
          </p>
          {error !== null && <ErrorNote error={error} />}
          {outcome === null && error === null && <NoAnswers />}
          {outcome !== null && <OutcomePanel outcome={outcome} limits={limits} />}
        </section>
        <CodePanel draft={draft} />
      </div>
    </div>
  );
}

/** The part of the window in which the beginning of the answers counts as seen. */
const SEEN_PART = 0.75;

/** Scrolls to the answers if they begin elsewhere: on a narrow screen they are below the form. */
function reveal(answers: HTMLElement): void {
  const { top } = answers.getBoundingClientRect();
  if (top < 0 || top > innerHeight * SEEN_PART) answers.scrollIntoView({ block: 'start' });
}

const NoAnswers = () => (
  <div class="empty">
    <p>Answers appear here, each with its probabilities.</p>
    <p>
      A <code>noul</code> is answered with the probability of yes, a <code>choice</code> with one of its
      labels, a <code>score</code> with a level of its scale.
    </p>
  </div>
);

/** With the default model, images can be tried if any model reads them. */
const canReadImages = (model: string, { models }: Limits): boolean =>
  models.some(({ id, reads_images }) => reads_images && (model === '' || id === model));

interface ExamplesProps {
  readonly readsImages: boolean;
  readonly start: (example: Example) => void;
}

const Examples = ({ readsImages, start }: ExamplesProps) => (
  <div class="examples">
    <span class="muted" id="examples-label">
      Start with an example
    </span>
    <ul aria-labelledby="examples-label">
      {EXAMPLES.filter((each) => readsImages || !each.readsImages).map((each) => (
        <li key={each.title}>
          <button type="button" onClick={() => start(each)}>
            {each.title}
          </button>
        </li>
      ))}
    </ul>
  </div>
);

interface ModelChoiceProps {
  readonly limits: Limits;
  readonly model: string;
  readonly onChange: (model: string) => void;
}

const ModelChoice = ({ limits, model, onChange }: ModelChoiceProps) => (
  <label class="inline">
    Model
    <select value={model} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">the default model</option>
      {limits.models.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
      {model !== '' && !limits.models.some(({ id }) => id === model) && (
        <option value={model}>{model}</option>
      )}
    </select>
  </label>
);
