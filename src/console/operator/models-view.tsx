import type { OperatorModel } from '../../api/index.js';
import { DataTable } from '../ui/data-table.js';
import { bytes } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { Money } from '../ui/money.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import type { OperatorApi } from './operator-api.js';

interface ModelsViewProps {
  readonly api: OperatorApi;
  readonly active: boolean;
}

/** The models with their prices and builds. */
export function ModelsView({ api, active }: ModelsViewProps) {
  const { value, error, reload, ...source } = useLoad(
    (signal) => api.call('listModels', { signal }),
    active,
    [api],
  );
  return (
    <section class="panel" aria-labelledby="models-title">
      <h1 class="hidden">Models</h1>
      <div class="bar">
        <h2 id="models-title">Models and builds</h2>
        <Renew source={source} reload={reload} />
      </div>
      <p class="muted">
        Prices are per million input tokens. Models are installed with <code>decider models pull</code> or{' '}
        <code>add</code>; prices are the setting <code>billing.prices</code>.
      </p>
      <LoadNote value={value} error={error} />
      {value !== null && (
        <Sourced source={source}>
          <DataTable
            label="Table of models"
            rows={value.models}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Model', class: 'text', cell: (model) => <Name model={model} /> },
              { title: 'Images', cell: ({ reads_images: reads }) => (reads ? 'yes' : 'no') },
              { title: 'Price class', cell: ({ price_class: name }) => name },
              {
                title: 'Live',
                number: true,
                cell: ({ prices }) => <Money amount={prices.live} currency={value.currency} />,
              },
              {
                title: 'Batch',
                number: true,
                cell: ({ prices }) => <Money amount={prices.batch} currency={value.currency} />,
              },
              { title: 'Builds', class: 'nowrap', cell: ({ builds }) => <Builds builds={builds} /> },
            ]}
          />
        </Sourced>
      )}
    </section>
  );
}

const Name = ({ model }: { readonly model: OperatorModel }) => (
  <>
    <strong>{model.id}</strong> {model.default && <span class="badge running">default</span>}
    <p class="muted">{model.description}</p>
    {model.answers_for.length > 0 && <p class="muted">Also answers for {model.answers_for.join(', ')}.</p>}
    {model.release_date !== null && <p class="muted">Released {model.release_date}</p>}
  </>
);

const Builds = ({ builds }: Pick<OperatorModel, 'builds'>) => (
  <ul class="plain">
    {[...builds].reverse().map(({ id, loaded, bytes: size, max_options: options }) => (
      <li key={id}>
        {id}{' '}
        <span class="muted">
          {bytes(size)}
          {options !== null && `, up to ${options} options`}
        </span>{' '}
        <span class={loaded ? 'badge done' : 'badge'}>{loaded ? 'loaded' : 'not loaded'}</span>
      </li>
    ))}
  </ul>
);
