import { own } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import { sentOrder } from '../ask/sent-order.js';
import { ActionButton } from '../ui/action-button.js';
import { ErrorNote } from '../ui/error-note.js';
import { count, preciseTime, whole } from '../ui/format-values.js';
import { type Source, Sourced } from '../ui/sourced.js';
import { useAction } from '../ui/use-action.js';
import { type LoadedTask, taskPath } from './loaded-task.js';
import { QuestionFit } from './question-fit.js';

interface FitPanelProps {
  readonly api: Api;
  readonly name: string;
  readonly loaded: LoadedTask;
  readonly source: Source;
  readonly onChanged: () => void;
}

/** Of more questions, only the first fitted one is unfolded. */
const OPEN_MAX = 2;

/** The fit in force, and a button that makes one. */
export function FitPanel({ api, name, loaded, source, onChanged }: FitPanelProps) {
  const { fit, labels } = loaded.task;
  const action = useAction();
  const run = async () => {
    try {
      await api.json(`${taskPath(name)}/fit`, { method: 'POST' });
      return 'The fit is in force.';
    } finally {
      // Also after an error: the server may have fitted all the same.
      onChanged();
    }
  };
  return (
    <section class="panel" aria-labelledby="fit-title" aria-busy={action.busy}>
      <div class="bar">
        <h2 id="fit-title">Fit</h2>
        <ActionButton
          primary={fit === null && labels > 0}
          once
          off={action.busy}
          onClick={() => action.run(run)}
        >
          {action.busy ? 'Fitting…' : `Fit to ${count(labels, 'label')}`}
        </ActionButton>
      </div>
      <p role="status" class="muted progress-line">
        {action.busy
          ? 'The server fits the task to its labels; this takes seconds.'
          : fit !== null && action.done}
      </p>
      {action.error !== null && <Refusal error={action.error} asked={loaded.asked} />}
      <Sourced source={source}>{fit === null ? <NoFit /> : <Questions loaded={loaded} fit={fit} />}</Sourced>
    </section>
  );
}

const NoFit = () => (
  <p class="empty">
    No fit is in force for the version in use and the build that answers now: no answer is accepted or
    refused. Label answers that were chosen by chance, then fit.
  </p>
);

interface RefusalProps extends Pick<LoadedTask, 'asked'> {
  readonly error: unknown;
}

function Refusal({ error, asked }: RefusalProps) {
  const found = error instanceof CallError ? error.questions : {};
  const names = sentOrder(
    asked.map(({ name }) => name),
    found,
  );
  if (names.length === 0) return <ErrorNote error={error} />;
  const questions = names.map((name) => [name, found[name] as CallError['questions'][string]] as const);
  return (
    <div class="note error" role="alert">
      <p>
        <strong>
          Too few labels: {whole(Math.min(...questions.map(([, { needed }]) => needed)))} needed
        </strong>
      </p>
      <ul>
        {questions.map(([name, { labels, needed }]) => (
          <li key={name}>
            <bdi>{name === '' ? '(no name)' : name}</bdi>: {whole(labels)} of {whole(needed)}
          </li>
        ))}
      </ul>
      <p class="muted">Labels count for the version in use and the build that answers now.</p>
    </div>
  );
}

interface QuestionsProps {
  readonly loaded: LoadedTask;
  readonly fit: NonNullable<LoadedTask['task']['fit']>;
}

function Questions({ loaded: { asked, task }, fit }: QuestionsProps) {
  const first = asked.find(({ name }) => 'threshold' in (own(fit.questions, name) ?? {}));
  return (
    <>
      <p class="muted">
        Made {preciseTime(fit.fitted_at)} for <code>{fit.model}</code>, version {whole(fit.task.version)}.
        Figures are of the labels that tested the threshold, with 95 % intervals.
      </p>
      {asked.map(({ name }) => {
        const found = own(fit.questions, name);
        return (
          found !== undefined && (
            <QuestionFit
              key={`${name} ${fit.fitted_at}`}
              name={name}
              fit={found}
              target={task.target_error}
              open={asked.length <= OPEN_MAX || name === first?.name}
            />
          )
        );
      })}
    </>
  );
}
