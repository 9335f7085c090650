import type { Limits } from '../api/api-types.js';
import { milliseconds, share, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { type ComparedOption, compareAnswers } from './compare.js';
import { costOf } from './models.js';
import type { Answered } from './use-asking.js';

interface ComparePanelProps {
  /** The answers that were kept, and those to compare with them. */
  readonly first: Answered;
  readonly second: Answered;
  readonly limits: Limits;
}

/** Two answers to one question, or to two wordings of it, side by side. */
export function ComparePanel({ first, second, limits }: ComparePanelProps) {
  const pair = [first, second] as const;
  const facts = [
    ['Model', pair.map(({ outcome }) => outcome.response.model)],
    ['Input tokens', pair.map(({ outcome }) => whole(outcome.response.usage.input_tokens))],
    ['Cost', pair.map((each) => <Cost key={each.at} answered={each} limits={limits} />)],
    ['Round trip', pair.map(({ outcome }) => milliseconds(outcome.roundTripMs))],
  ] as const;
  const questions = compareAnswers(first.outcome, second.outcome);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Comparison">
      <table class="compare">
        <caption>The answers that were kept (A) and these (B)</caption>
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Option</th>
            <th scope="col" class="number">
              A
            </th>
            <th scope="col" class="number">
              B
            </th>
            <th scope="col" class="number">
              Δp
            </th>
          </tr>
        </thead>
        <tbody>
          {questions.flatMap(({ name, options }) =>
            options.map((option, at) => (
              <OptionRow key={`${name} ${option.name}`} question={at === 0 ? name : ''} option={option} />
            )),
          )}
        </tbody>
        <tfoot>
          {facts.map(([title, [a, b]]) => (
            <tr key={title}>
              <th scope="row" colSpan={2}>
                {title}
              </th>
              <td class="number">{a}</td>
              <td class="number">{b}</td>
              <td />
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  );
}

interface OptionRowProps {
  /** '' in further rows of a question. */
  readonly question: string;
  readonly option: ComparedOption;
}

const OptionRow = ({ question, option: { name, first, second } }: OptionRowProps) => (
  <tr>
    <td dir="auto">{question}</td>
    <td dir="auto">{name}</td>
    <td class={first.chosen ? 'number chosen' : 'number'}>{shown(first)}</td>
    <td class={second.chosen ? 'number chosen' : 'number'}>{shown(second)}</td>
    <td class="number">{difference(first.value, second.value)}</td>
  </tr>
);

const shown = ({ value, chosen }: ComparedOption['first']) => (
  <>
    {value === null ? '–' : share(value)}
    {chosen && <span class="hidden"> (chosen)</span>}
  </>
);

function difference(first: number | null, second: number | null): string {
  if (first === null || second === null) return '–';
  const by = second - first;
  return `${by > 0 ? '+' : by < 0 ? '−' : '±'}${share(Math.abs(by))}`;
}

function Cost({ answered: { outcome }, limits }: { readonly answered: Answered; readonly limits: Limits }) {
  const { response } = outcome;
  const cost = costOf(response.usage.input_tokens, response.model, limits, 'live');
  return cost === null ? <>not known</> : <Money amount={cost} currency={limits.currency} />;
}
