import { useEffect, useRef, useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { indented } from '../json/json-node.js';
import type { LoadedTask } from '../tasks/loaded-task.js';
import { ErrorNote } from '../ui/error-note.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';
import { AskBar } from './ask-bar.js';
import type { Draft } from './ask-draft.js';
import { exampleImage } from './ask-images.js';
import { focusWrong, onAskKey, onAskSubmit } from './ask-keys.js';
import { CodePanel } from './code-panel.js';
import { ComparePanel } from './compare-panel.js';
import { type Example, examplesFor } from './examples.js';
import { answeredOf, clearHistory, keepAnswered, readHistory } from './history.js';
import { HistoryPanel } from './history-panel.js';
import { ImagesPanel } from './images-panel.js';
import { isSame } from './kept-draft.js';
import { imageModel, modelOfDraft } from './models.js';
import { OutcomePanel } from './outcome-panel.js';
import { QuestionsPanel } from './questions-panel.js';
import { buildRequest } from './request.js';
import { SaveTask } from './save-task.js';
import { partOfJson } from './sets-panel.js';
import { StatePanel } from './state-panel.js';
import { type Answered, type AskFailure, useAsking } from './use-asking.js';
import { useDraft } from './use-draft.js';
import { messageFor } from './wrong-field.js';

interface AskViewProps {
  readonly api: Api;
  readonly limits: Limits;
  /** The request of a shared link; null if there is none. */
  readonly shared: string | null;
  /** Whether the view is visible. */
  readonly active: boolean;
  /** The task whose questions are edited; null: none was opened for that. */
  readonly edited: LoadedTask | null;
}

/** One request and its answers. */
export function AskView({ api, limits, shared, active, edited }: AskViewProps) {
  const written = useDraft(shared, (error) => asking.fail(error));
  const { draft, replace } = written;
  const [past, setPast] = useState(readHistory);
  const [pinned, setPinned] = useState<Answered | null>(null);
  const asking = useAsking(api, draft, buildRequest, (next) => setPast(keepAnswered(next)));
  const { answered, failure, progress } = asking;
  useEffect(() => {
    if (edited === null) return;
    const { questions, task } = edited;
    const part = { ...partOfJson(indented(questions)), model: task.model ?? '' };
    replace(part, `The questions of the task ${task.name} are loaded.`);
  }, [edited]);
  const form = useRef<HTMLFormElement>(null);
  const answers = useRef<HTMLElement>(null);
  // An edit may have corrected it.
  const wrong = failure !== null && failure.draft === draft ? failure : null;
  useEffect(() => {
    if (wrong !== null && form.current !== null && focusWrong(form.current)) return;
    if (answers.current !== null && (answered !== null || failure !== null)) reveal(answers.current);
  }, [answered, failure]);
  const start = async ({ readsImages, title, draft: make }: Example) => {
    const images = readsImages
      ? { images: [await exampleImage()], model: imageModel(draft, limits) ?? '' }
      : {};
    replace({ ...make(), ...images }, `The example “${title}” is loaded.`);
    asking.show(null);
  };
  const model = modelOfDraft(draft, limits);
  return (
    <div class="columns">
      <h1 class="hidden">Ask</h1>
      <form
        ref={form}
        class="column ask-form"
        aria-label="Request"
        onKeyDownCapture={(event) => onAskKey(event, () => asking.run(false))}
        onSubmit={onAskSubmit}
      >
        <Examples
          examples={examplesFor(model?.domain ?? null, imageModel(draft, limits) !== null)}
          start={start}
        />
        <StatePanel {...written} model={model} wrong={messageFor(wrong, 'state')} />
        {(model?.reads_images || draft.images.length > 0) && (
          <ImagesPanel {...written} wrong={messageFor(wrong, 'images')} />
        )}
        <QuestionsPanel {...written} wrong={wrong} />
        <AskBar limits={limits} written={written} asking={asking} />
      </form>
      <div class="column">
        <section ref={answers} class="panel" aria-labelledby="answers-title" aria-busy={progress !== null}>
          <Answers
            answered={answered}
            failure={failure}
            progress={progress}
            draft={draft}
            limits={limits}
            pinned={pinned}
            onPin={setPinned}
          />
        </section>
        <SaveTask api={api} draft={draft} active={active} edited={edited} />
        <CodePanel draft={draft} />
        <HistoryPanel
          past={past}
          onOpen={(request) => {
            const answers = answeredOf(request);
            replace(answers.draft, 'A request of the history is loaded.');
            asking.show(answers);
          }}
          onClear={() => {
            clearHistory();
            setPast([]);
          }}
        />
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

interface AnswersProps {
  readonly answered: Answered | null;
  readonly failure: AskFailure | null;
  readonly progress: string | null;
  /** What would be asked now. */
  readonly draft: Draft;
  readonly limits: Limits;
  /** The answers with which others are compared; null: there are none. */
  readonly pinned: Answered | null;
  readonly onPin: (answered: Answered | null) => void;
}

function Answers({ answered, failure, progress, draft, limits, pinned, onPin }: AnswersProps) {
  const isOld = answered !== null && !isSame(answered.draft, draft);
  const source: Source = { at: answered?.at ?? null, stale: isOld ? 'old' : 'no' };
  return (
    <>
      <div class="bar">
        <h2 id="answers-title">Answers</h2>
        <AsOf source={source} />
      </div>
      <p role="status" class={isOld ? 'warning progress-line' : 'muted progress-line'}>
        {progress ?? (answered === null ? '' : isOld ? CHANGED : 'Answered.')}
      </p>
      {failure !== null && <ErrorNote error={failure.error} />}
      {answered === null && failure === null && <NoAnswers />}
      {pinned !== null && answered !== null && pinned !== answered && (
        <ComparePanel first={pinned} second={answered} limits={limits} />
      )}
      {answered !== null && (
        <Sourced source={source}>
          <OutcomePanel outcome={answered.outcome} limits={limits} />
        </Sourced>
      )}
      {answered !== null && (
        <div class="actions">
          <button type="button" onClick={() => onPin(pinned === null ? answered : null)}>
            {pinned === null ? 'Compare with the next answers' : 'End the comparison'}
          </button>
          {pinned === answered && (
            <span class="muted">Choose another model or change the wording, then ask.</span>
          )}
        </div>
      )}
    </>
  );
}

const CHANGED = 'The request has been changed since: these are the answers to the earlier one.';

const NoAnswers = () => (
  <div class="empty">
    <p>Answers appear here, each with its probabilities.</p>
    <p>
      A <code>noul</code> is answered with the probability of yes, a <code>choice</code> with one of its
      labels, a <code>score</code> with a level of its scale.
    </p>
  </div>
);

interface ExamplesProps {
  readonly examples: readonly Example[];
  readonly start: (example: Example) => void;
}

const Examples = ({ examples, start }: ExamplesProps) => (
  <div class="examples">
    <span class="muted" id="examples-label">
      Start with an example
    </span>
    <ul aria-labelledby="examples-label">
      {examples.map((each) => (
        <li key={each.title}>
          <button type="button" onClick={() => start(each)}>
            {each.title}
          </button>
        </li>
      ))}
    </ul>
  </div>
);
