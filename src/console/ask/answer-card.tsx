import type { VNode } from 'preact';
import {
  type Answer,
  acceptOf,
  type ChoiceAnswer as Choice,
  own,
  type ScoreAnswer as Score,
} from '../api/api-types.js';
import { share } from '../ui/format-values.js';
import type { AskedQuestion } from './request.js';
import { sentOrder } from './sent-order.js';
import type { Range, Spread } from './spread.js';

interface AnswerCardProps {
  /** Of the element, for links. */
  readonly id: string;
  readonly question: AskedQuestion;
  readonly answer: Answer;
  readonly spread: Spread | undefined;
  /** Whether it is unfolded at first. */
  readonly open: boolean;
}

/** The answer to one question. */
export function AnswerCard({ id, question, answer, spread, open }: AnswerCardProps) {
  return (
    <details id={id} class={spread === undefined ? 'answer' : 'answer with-spread'} open={open}>
      <summary>
        <h3 dir="auto">{question.name === '' ? '(no name)' : question.name}</h3>
      </summary>
      {question.instructions !== '' && (
        <p class="muted" dir="auto">
          {question.instructions}
        </p>
      )}
      <AnyAnswer question={question} answer={answer} spread={spread} />
      <Accept accept={acceptOf(answer)} />
    </details>
  );
}

const ACCEPT_WORDS: Readonly<Record<string, string>> = {
  true: 'Accepted: its confidence reaches the threshold.',
  false: 'Not accepted: its confidence is below the threshold. Let a person decide.',
  null: 'No threshold is in force for this question.',
};

/** Whether an answer about a task can be used without review; nothing for other answers. */
const Accept = ({ accept }: { readonly accept: boolean | null | undefined }) =>
  accept === undefined ? null : (
    <p class={accept === false ? 'accept warning' : accept ? 'accept good' : 'accept muted'}>
      {ACCEPT_WORDS[String(accept)]}
    </p>
  );

function AnyAnswer({ question, answer, spread }: Omit<AnswerCardProps, 'id' | 'open'>): VNode {
  switch (answer.type) {
    case 'noul':
      return <NoulAnswer noul={answer.noul} range={spread?.get('')} />;
    case 'choice':
      return <ChoiceAnswer question={question} answer={answer} spread={spread} />;
    case 'score':
      return <ScoreAnswer question={question} answer={answer} spread={spread} />;
  }
}

interface BarProps {
  readonly name: string;
  readonly value: number;
  readonly chosen: boolean;
  readonly range?: Range | undefined;
}

/** A longer name may be cut. */
const CUT_CHARACTERS = 40;

/** A probability as a bar. The text says it too. */
function Bar({ name, value, chosen, range }: BarProps) {
  return (
    <li class={chosen ? 'meter chosen' : 'meter'}>
      <span class="name" dir="auto" tabIndex={name.length > CUT_CHARACTERS ? 0 : undefined}>
        {name}
        {chosen && <span class="hidden"> (chosen)</span>}
      </span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${value * 100}%` }} />
        {range !== undefined && range.high > range.low && (
          <span
            class="range"
            style={{ left: `${range.low * 100}%`, width: `${(range.high - range.low) * 100}%` }}
          />
        )}
      </span>
      <span class="value">
        {share(value)}
        {range !== undefined && <RangeText range={range} />}
      </span>
    </li>
  );
}

const RangeText = ({ range: { low, high } }: { readonly range: Range }) => (
  <small>{low === high ? 'no spread' : `${share(low)} to ${share(high)}`}</small>
);

function NoulAnswer({ noul, range }: { readonly noul: number; readonly range: Range | undefined }) {
  const yes = noul >= 0.5;
  const other = range && { low: 1 - range.high, high: 1 - range.low };
  return (
    <>
      <p class="verdict">
        <strong>{yes ? 'Yes' : 'No'}</strong>
        <span class="muted"> reported as at least 0.80 or at most 0.20</span>
      </p>
      <ul class="meters">
        <Bar name="Yes" value={noul} chosen={yes} range={range} />
        <Bar name="No" value={1 - noul} chosen={!yes} range={other} />
      </ul>
    </>
  );
}

interface OptionsProps<Kind extends Answer> {
  readonly question: AskedQuestion;
  readonly answer: Kind;
  readonly spread: Spread | undefined;
}

function ChoiceAnswer({ question, answer, spread }: OptionsProps<Choice>) {
  const { choice, confidence, probabilities } = answer;
  return (
    <>
      <p class="verdict">
        <strong dir="auto">{choice}</strong>
        <Confidence value={confidence} />
      </p>
      <ul class="meters">
        {sentOrder(question.options, probabilities).map((option) => (
          <Bar
            key={option}
            name={option}
            value={own(probabilities, option) ?? 0}
            chosen={option === choice}
            range={spread?.get(option)}
          />
        ))}
      </ul>
    </>
  );
}

function ScoreAnswer({ question, answer, spread }: OptionsProps<Score>) {
  const { level, score, confidence, legend, probabilities } = answer;
  const levels = sentOrder(question.options, probabilities);
  const last = Math.max(1, levels.length - 1);
  return (
    <>
      <p class="verdict">
        <strong dir="auto">{own(legend, String(level)) ?? `Level ${level}`}</strong>
        <span>
          level {level} · mean {share(score)}
        </span>
        <Confidence value={confidence} />
      </p>
      <div class="scale" aria-hidden="true">
        <span class="rail" />
        {levels.map((each) => (
          <span key={each} class="tick" style={{ left: `${(Number(each) / last) * 100}%` }} />
        ))}
        <span class="level" style={{ left: `${(level / last) * 100}%` }} />
        <span class="mean" style={{ left: `${(score / last) * 100}%` }} />
      </div>
      <ul class="meters">
        {levels.map((each) => (
          <Bar
            key={each}
            name={`${each} · ${own(legend, each) ?? ''}`}
            value={own(probabilities, each) ?? 0}
            chosen={Number(each) === level}
            range={spread?.get(each)}
          />
        ))}
      </ul>
    </>
  );
}

const Confidence = ({ value }: { readonly value: number }) => <span>confidence {share(value)}</span>;
