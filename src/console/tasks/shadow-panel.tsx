import type { ComponentChildren } from 'preact';
import type { Task } from '../../client/index.js';
import { type Limits, own } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import type { AskedQuestion } from '../ask/request.js';
import { Facts } from '../ui/facts.js';
import { share as decimals, percent, percentWithin, preciseTime, whole } from '../ui/format-values.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';
import type { LoadedTask } from './loaded-task.js';
import { PromoteShadow } from './promote-shadow.js';
import { ShadowForm } from './shadow-form.js';
import type { OnChanged } from './task-requests.js';

type Shadow = NonNullable<Task['shadow']>;
type Comparison = Shadow['questions'][string];
type Estimate = Comparison['agreement'];

interface ShadowPanelProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly name: string;
  readonly active: boolean;
  readonly loaded: LoadedTask;
  readonly source: Source;
  readonly onChanged: OnChanged;
}

/** The shadow build of a task: how its answers compare with those that were sent, its promotion, and its settings. */
export function ShadowPanel({ source, loaded, active, ...common }: ShadowPanelProps) {
  const { task, asked } = loaded;
  return (
    <section class="panel" aria-labelledby="shadow-title">
      <div class="bar">
        <h2 id="shadow-title">Shadow build</h2>
        <AsOf source={source} />
      </div>
      <Sourced source={source}>
        {task.shadow === null ? <NoShadow /> : <Counted shadow={task.shadow} asked={asked} />}
      </Sourced>
      <PromoteShadow {...common} task={task} active={active} />
      <ShadowForm {...common} loaded={loaded} />
    </section>
  );
}

const NoShadow = () => (
  <p class="empty">
    Try another build on real requests: a share of them is also run on it after they were answered, at no
    charge.
  </p>
);

interface CountedProps {
  readonly shadow: Shadow;
  readonly asked: readonly AskedQuestion[];
}

const Counted = ({ shadow: { model, share, builds, since, questions }, asked }: CountedProps) => (
  <>
    <Facts
      facts={[
        ['Model', model],
        ['Share of the requests', percent(share)],
        ['Build that answers', builds.live ?? 'not served'],
        ['Shadow build', builds.shadow ?? 'not served'],
        ['Counted since', since === null ? 'nothing is counted yet' : preciseTime(since)],
      ]}
    />
    {asked.map(({ name }) => {
      const found = own(questions, name);
      return found === undefined ? null : <QuestionPart key={name} name={name} comparison={found} />;
    })}
  </>
);

interface QuestionPartProps {
  readonly name: string;
  readonly comparison: Comparison;
}

const QuestionPart = ({ name, comparison }: QuestionPartProps) => (
  <details class="question-fit" open>
    <summary>
      <h3 dir="auto">{name === '' ? '(no name)' : name}</h3>
      <span class="muted">
        {' '}
        {comparison.agreement === null ? 'no answers yet' : `${percent(comparison.agreement.value)} agree`}
      </span>
    </summary>
    <Facts facts={factsOf(comparison)} />
    {comparison.agreement !== null && <Agreement agreement={comparison.agreement} />}
  </details>
);

function factsOf(comparison: Comparison): ReadonlyArray<readonly [string, ComponentChildren]> {
  const { mean_difference: mean, largest_difference: largest, labels } = comparison;
  return [
    ['Requests that both answered', whole(comparison.answers)],
    ['Agreement', estimateText(comparison.agreement)],
    ['Mean difference of probabilities', mean === null ? null : decimals(mean)],
    ['Largest difference', largest === null ? null : decimals(largest)],
    ['Acceptance would change', estimateText(comparison.accept_changed)],
    ['Newly accepted', whole(comparison.newly_accepted)],
    ['No longer accepted', whole(comparison.no_longer_accepted)],
    ['Labels', whole(labels)],
    ['Accuracy of the build that answers', estimateText(comparison.live_accuracy)],
    ['Accuracy of the shadow build', estimateText(comparison.shadow_accuracy)],
    ['Shadow minus live', estimateText(comparison.accuracy_difference)],
  ];
}

/** Null without an estimate. */
const estimateText = (estimate: Estimate): string | null =>
  estimate === null ? null : percentWithin(estimate.value, estimate.ci);

/** The agreement as a bar with its interval; the facts have the numbers. */
const Agreement = ({ agreement: { value, ci } }: { readonly agreement: NonNullable<Estimate> }) => {
  const [low = 0, high = 0] = ci;
  return (
    <div class="track" aria-hidden="true">
      <span class="fill" style={{ width: `${value * 100}%` }} />
      <span class="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
    </div>
  );
};
