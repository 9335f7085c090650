import { type Limits, own, type Phase } from '../api/api-types.js';
import { count, milliseconds, money, share, whole } from '../ui/format-values.js';
import { AnswerCard } from './answer-card.js';
import { costOf, type Outcome } from './ask.js';
import { widest } from './spread.js';

interface OutcomePanelProps {
  readonly outcome: Outcome;
  readonly limits: Limits;
}

/** The answers, what they cost, and where the time went. */
export function OutcomePanel({ outcome, limits }: OutcomePanelProps) {
  const { questions, response, asks, spreads } = outcome;
  return (
    <>
      {asks > 1 && <SpreadNote asks={asks} width={widest(spreads)} />}
      {questions.map((question) => {
        const { name } = question;
        const answer = own(response.answers, name);
        if (answer === undefined) return null;
        return <AnswerCard key={name} question={question} answer={answer} spread={spreads.get(name)} />;
      })}
      <Facts outcome={outcome} limits={limits} />
      <Phases phases={outcome.phases} roundTripMs={outcome.roundTripMs} />
    </>
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
  const facts: ReadonlyArray<readonly [string, string]> = [
    ['Model', response.model],
    ['Input tokens', asks === 1 ? whole(tokens) : `${asks} × ${whole(tokens)}`],
    ['Output tokens', `${whole(answers * asks)}, free`],
    ['Cost', cost === null ? 'not known' : money(cost, limits.currency)],
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
