import type { ComponentChildren } from 'preact';
import type { Task } from '../../client/index.js';
import { own } from '../api/api-types.js';
import type { AskedQuestion } from '../ask/request.js';
import { Facts } from '../ui/facts.js';
import { count, percent, whole } from '../ui/format-values.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';

type Drift = NonNullable<Task['drift']>;
type QuestionDrift = NonNullable<Drift[string]>;
type Shift = QuestionDrift['chosen'];

interface DriftPanelProps {
  readonly drift: Drift;
  readonly asked: readonly AskedQuestion[];
  readonly source: Source;
}

/** What the answers since the fit say, beside the labelled answers of the fit. */
export function DriftPanel({ drift, asked, source }: DriftPanelProps) {
  return (
    <section class="panel" aria-labelledby="drift-title">
      <div class="bar">
        <h2 id="drift-title">Drift since the fit</h2>
        <AsOf source={source} />
      </div>
      <Sourced source={source}>
        {asked.map((question) => {
          const found = own(drift, question.name);
          return found == null ? null : (
            <QuestionPart key={question.name} question={question} drift={found} />
          );
        })}
      </Sourced>
    </section>
  );
}

interface QuestionPartProps {
  readonly question: AskedQuestion;
  readonly drift: QuestionDrift;
}

function QuestionPart({ question, drift }: QuestionPartProps) {
  const { answers, window, chosen, confidence, alarm } = drift;
  return (
    <details class="question-fit" open={alarm !== null}>
      <summary>
        <h3 dir="auto">{question.name === '' ? '(no name)' : question.name}</h3>
        <span class="muted"> {alarm === null ? 'no significant change' : 'changed'}</span>
      </summary>
      {alarm !== null && <Alarm alarm={alarm} />}
      <Facts facts={factsOf(drift)} />
      {answers === 0 ? (
        <p class="empty">No answers since the fit.</p>
      ) : (
        <div class="xy-plots">
          <Shares title="Chosen options" names={optionsOf(question)} shift={chosen} window={window} />
          <Shares title="Confidence" names={CLASSES} shift={confidence} window={window} />
        </div>
      )}
    </details>
  );
}

function factsOf({ answers, window, chosen, confidence, errors }: QuestionDrift) {
  const facts: ReadonlyArray<readonly [string, ComponentChildren]> = [
    ['Answers since the fit', whole(answers)],
    ['Compared', count(window, 'last answer')],
    ['Stability index of options', indexText(chosen)],
    ['Stability index of confidence', indexText(confidence)],
    ['Accepted and labelled since', errors && `${whole(errors.labels)}, ${whole(errors.wrong)} wrong`],
    ['Evidence against the target', errors && evidenceText(errors)],
  ];
  return facts;
}

const indexText = ({ stability_index: index, unchanged }: Shift): string =>
  index === null
    ? 'none'
    : `${index.toFixed(3)}${unchanged === null ? '' : ` (${unchanged.toFixed(3)} without a change)`}`;

const evidenceText = ({
  evidence,
  alarm_at: at,
  after_labels: after,
}: NonNullable<QuestionDrift['errors']>) =>
  after === null
    ? `${evidence.toFixed(1)}; alarm at ${at.toFixed(1)}`
    : `alarm after ${count(after, 'label')}`;

/** An alarm as a sentence. */
function Alarm({ alarm }: { readonly alarm: NonNullable<QuestionDrift['alarm']> }) {
  const { chosen, confidence_below: below, share_before: before, share_now: now } = alarm;
  const than = alarm.compared_with === 'labelled' ? 'the labelled answers' : 'the answers before';
  return (
    <p class="warning">
      {chosen === undefined ? (
        `Confidence below ${below}`
      ) : (
        <>
          The option “<bdi>{chosen}</bdi>”
        </>
      )}
      : {percent(now)} of the last answers, {percent(before)} of {than}. Found after{' '}
      {count(alarm.after_answers, 'answer')}.
    </p>
  );
}

/** The options as the shares have them: of a `noul`, yes comes first. */
const optionsOf = ({ type, options }: AskedQuestion): readonly string[] =>
  type === 'noul' ? ['Yes', 'No'] : options;

/** The bounds of the classes of confidence (contract 2.16). */
const BOUNDS = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999];
const CLASSES = [
  `below ${BOUNDS[0]}`,
  ...BOUNDS.map((bound, at) =>
    BOUNDS[at + 1] === undefined ? `from ${bound}` : `${bound} to ${BOUNDS[at + 1]}`,
  ),
];

interface SharesProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly shift: Shift;
  /** The number of last answers. */
  readonly window: number;
}

/** Shares of the last answers as bars, with those of the labelled answers as marks. The texts say both. */
const Shares = ({ title, names, shift: { labelled, window: now }, window }: SharesProps) => (
  <figure class="shares">
    <figcaption>
      <strong>{title}</strong>
      <span class="muted">
        Bar: the last {whole(window)}. Mark: labelled answers of the fit. In percent of all.
      </span>
    </figcaption>
    <ul class="meters">
      {labelled.map((before, at) => (
        // The names of options are unique.
        <li key={names[at] ?? at} class="meter">
          <span class="name" dir="auto">
            {names[at] ?? `option ${at + 1}`}
          </span>
          <span class="track" aria-hidden="true">
            <span class="fill" style={{ width: `${(now[at] ?? 0) * 100}%` }} />
            <span class="mark" style={{ left: `${before * 100}%` }} />
          </span>
          <span class="value">
            {percent(now[at] ?? 0)}
            <small>labelled {percent(before)}</small>
          </span>
        </li>
      ))}
    </ul>
  </figure>
);
