import type { OperatorKey } from '../../../api/index.js';

/** The name and the id of a key. */
export const KeyLabel = ({ of: { id, name } }: { readonly of: Pick<OperatorKey, 'id' | 'name'> }) => (
  <>
    {name !== null && (
      <>
        <bdi>{name}</bdi>{' '}
      </>
    )}
    <code>{id}</code>
  </>
);
