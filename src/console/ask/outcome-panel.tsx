import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { acceptOf, type Limits, own, type Phase } from '../api/api-types.js';
import { count, milliseconds, share, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { AnswerCard } from './answer-card.js';
import { summaryOf } from './answer-summary.js';
import type { Outcome } from './ask.js';
import { costOf } from './models.js';
import { widest } from './spread.js';

interface OutcomePanelProps {
  readonly outcome: Outcome;
  readonly limits: Limits;
}

/** The answers, what they cost, and where the time went. */
export function OutcomePanel({ outcome, limits }: OutcomePanelProps) {
  const { questions, response, asks, spreads } = outcome;
  const id = useId();
  return (
    <>
      {asks > 1 && <SpreadNote asks={asks} width={widest(spreads)} />}
      {questions.length > SUMMARY_MIN && <SummaryTable outcome={outcome} id={id} />}
      {questions.map((question, at) => {
        const { name } = question;
        const answer = own(response.answers, name);
        if (answer === undefined) return null;
        return (
          <AnswerCard
            key={name}
            id={`${id}-${at}`}
            question={question}
            answer={answer}
            spread={spreads.get(name)}
            open={questions.length <= SUMMARY_MIN}
          />
        );
      })}
      <Facts outcome={outcome} limits={limits} />
      <Phases phases={outcome.phases} roundTripMs={outcome.roundTripMs} />
    </>
  );
}

const ACCEPTED: Readonly<Record<string, string>> = { true: 'yes', false: 'no', null: 'no threshold' };

/** More answers begin with a table of all, and are folded. */
const SUMMARY_MIN = 4;

interface SummaryTableProps extends Pick<OutcomePanelProps, 'outcome'> {
  /** How the ids of the answers begin. */
  readonly id: string;
}

function SummaryTable({ outcome: { questions, response }, id }: SummaryTableProps) {
  const unfold = (at: number) => {
    const card = document.getElementById(`${id}-${at}`);
    if (!(card instanceof HTMLDetailsElement)) return;
    card.open = true;
    card.querySelector('summary')?.focus();
  };
  return (
    <table class="summary">
      <caption>{count(questions.length, 'answer')}</caption>
      <thead>
        <tr>
          <th scope="col">Question</th>
          <th scope="col">Answer</th>
          <th scope="col" class="number">
            Probability
          </th>
          {response.task !== undefined && <th scope="col">Accepted</th>}
        </tr>
      </thead>
      <tbody>
        {questions.map(({ name }, at) => {
          const answer = own(response.answers, name);
          const summary = answer && summaryOf(answer);
          return (
            <tr key={name}>
              <td dir="auto">
                <button type="button" class="quiet" onClick={() => unfold(at)}>
                  {name === '' ? '(no name)' : name}
                </button>
              </td>
              <td dir="auto">{summary?.value}</td>
              <td class="number">{summary && share(summary.probability)}</td>
              {response.task !== undefined && <td>{answer && ACCEPTED[String(acceptOf(answer))]}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function SpreadNote({ asks, width }: { readonly asks: number; readonly width: number }) {
  return (
    <div class="note">
      <p>
        {width === 0 ? (
          <>
            <strong>No spread:</strong> {asks} responses with the same probabilities.
          </>
        ) : (
          <>
            <strong>Spread {share(width)}:</strong> the most that a probability differed between {asks}{' '}
            responses. Requests that are computed together differ in the last digits;{' '}
            <code>engine.exact</code> prevents it.
          </>
        )}
      </p>
    </div>
  );
}

function Facts({ outcome, limits }: OutcomePanelProps) {
  const { response, asks, requestId } = outcome;
  const { input_tokens: tokens, output_tokens: answers } = response.usage;
  const cost = costOf(tokens * asks, response.model, limits, 'live');
  const facts: ReadonlyArray<readonly [string, ComponentChildren]> = [
    ['Model', response.model],
    ...(response.task === undefined ? [] : [['Version of the task', whole(response.task.version)] as const]),
    ['Input tokens', asks === 1 ? whole(tokens) : `${asks} × ${whole(tokens)}`],
    ['Output tokens', `${whole(answers * asks)}, free`],
    ['Cost', cost === null ? 'not known' : <Money amount={cost} currency={limits.currency} />],
    ...(requestId === null ? [] : [['Request id', requestId] as const]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The phases of the server's own time, and the rest of the round trip. */
function Phases({
  phases,
  roundTripMs,
}: {
  readonly phases: readonly Phase[];
  readonly roundTripMs: number;
}) {
  if (phases.length === 0) return null;
  const inServer = phases.reduce((sum, { ms }) => sum + ms, 0);
  const all = [...phases, { name: 'network and browser', ms: Math.max(0, roundTripMs - inServer) }];
  const total = all.reduce((sum, { ms }) => sum + ms, 0) || 1;
  return (
    <section class="phases" aria-label={`Time: ${count(all.length, 'phase')}`}>
      <h3>Time: {milliseconds(total)}</h3>
      <div class="stack" aria-hidden="true">
        {all.map(({ name, ms }, at) => (
          <span key={name} class={`phase-${at}`} style={{ width: `${(ms / total) * 100}%` }} />
        ))}
      </div>
      <ul>
        {all.map(({ name, ms }, at) => (
          <li key={name}>
            <span class={`swatch phase-${at}`} aria-hidden="true" /> {name} {milliseconds(ms)}
          </li>
        ))}
      </ul>
    </section>
  );
}
