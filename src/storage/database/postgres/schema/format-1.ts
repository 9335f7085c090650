/**
 * The tables of format 1. Instants are milliseconds since 1970 by the database's clock, amounts of money whole picounits as
 * in the data folder. Identifiers are compared by their bytes, as LMDB does.
 */
export const FORMAT_1: readonly string[] = [
  // Sessions of servers. A lease names a session, and is valid exactly while the row of the session exists.
  `CREATE TABLE nodes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    version text NOT NULL,
    format int NOT NULL,
    started bigint NOT NULL,
    seen bigint NOT NULL,
    expires bigint NOT NULL,
    flushed bigint NOT NULL DEFAULT 0
  )`,
  // Accounts. `changed` is the number of the administrative change that wrote the row last.
  `CREATE TABLE workspaces (
    id text COLLATE "C" PRIMARY KEY,
    created bigint NOT NULL,
    budget numeric(38),
    models text[],
    bytes_per_minute bigint NOT NULL,
    requests_per_minute bigint NOT NULL,
    granted numeric(38) NOT NULL DEFAULT 0,
    changed bigint NOT NULL
  )`,
  'CREATE INDEX workspaces_changed ON workspaces (changed, id)',
  `CREATE TABLE accounts (
    workspace text COLLATE "C" PRIMARY KEY,
    charged numeric(38) NOT NULL DEFAULT 0,
    month text NOT NULL,
    month_charged numeric(38) NOT NULL DEFAULT 0,
    leased numeric(38) NOT NULL DEFAULT 0,
    exact boolean NOT NULL DEFAULT false
  )`,
  `CREATE TABLE grants (
    workspace text COLLATE "C" NOT NULL,
    number int NOT NULL,
    at bigint NOT NULL,
    amount numeric(38) NOT NULL,
    PRIMARY KEY (workspace, number)
  )`,
  `CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY,
    workspace text COLLATE "C" NOT NULL,
    digest text NOT NULL UNIQUE,
    created bigint NOT NULL,
    expires bigint,
    revoked bigint,
    rolled_to text,
    changed bigint NOT NULL
  )`,
  'CREATE INDEX keys_changed ON keys (changed, id)',
  'CREATE INDEX keys_workspace ON keys (workspace)',
  `CREATE TABLE audit (
    entry bigint PRIMARY KEY,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    workspace text,
    key text,
    changes jsonb NOT NULL
  )`,
  `CREATE TABLE usage (
    workspace text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    price numeric(38) NOT NULL,
    requests bigint NOT NULL,
    input_tokens bigint NOT NULL,
    amount numeric(38) NOT NULL,
    PRIMARY KEY (workspace, day, key, model, kind, price)
  )`,
  // The credit that a node may charge without another exchange.
  `CREATE TABLE credit_leases (
    workspace text COLLATE "C" NOT NULL,
    node bigint NOT NULL,
    amount numeric(38) NOT NULL CHECK (amount >= 0),
    exact boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace, node)
  )`,
  'CREATE INDEX credit_leases_node ON credit_leases (node)',
  // Batches.
  `CREATE TABLE batches (
    id text COLLATE "C" PRIMARY KEY,
    key text COLLATE "C" NOT NULL,
    workspace text COLLATE "C" NOT NULL,
    number int NOT NULL,
    state text NOT NULL,
    lines int NOT NULL,
    chunks int NOT NULL,
    done int NOT NULL DEFAULT 0,
    failed int NOT NULL DEFAULT 0,
    models text[] NOT NULL,
    created bigint NOT NULL,
    started bigint,
    finished bigint,
    expires bigint NOT NULL,
    collected bigint,
    reason text,
    estimate_amount numeric(38) NOT NULL,
    estimate_tokens bigint NOT NULL,
    estimate_rate double precision NOT NULL,
    webhook_attempts int,
    webhook_due bigint,
    stored_lines bigint NOT NULL,
    stored_other bigint NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    UNIQUE (key, number)
  )`,
  `CREATE INDEX batches_unfinished ON batches (key, number) WHERE state NOT IN ('done', 'failed', 'cancelled')`,
  'CREATE INDEX batches_webhook ON batches (webhook_due) WHERE webhook_due IS NOT NULL',
  'CREATE INDEX batches_finished ON batches (finished) WHERE finished IS NOT NULL',
  // One row per chunk of an unfinished batch. `open`: some of its lines have no result. `node`: the session that runs it.
  `CREATE TABLE batch_chunks (
    batch text COLLATE "C" NOT NULL,
    chunk int NOT NULL,
    open boolean NOT NULL DEFAULT true,
    node bigint,
    PRIMARY KEY (batch, chunk)
  )`,
  'CREATE INDEX batch_chunks_open ON batch_chunks (batch, chunk) WHERE open',
  'CREATE INDEX batch_chunks_node ON batch_chunks (node) WHERE node IS NOT NULL',
  `CREATE TABLE batch_lines (
    batch text COLLATE "C" NOT NULL,
    chunk int NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (batch, chunk)
  )`,
  // The chunk has `lines` lines, beginning with line `first` of the batch.
  `CREATE TABLE batch_ids (
    batch text COLLATE "C" NOT NULL,
    chunk int NOT NULL,
    first int NOT NULL,
    lines int NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (batch, chunk)
  )`,
  `CREATE TABLE batch_results (
    batch text COLLATE "C" NOT NULL,
    line int NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (batch, line)
  )`,
  `CREATE TABLE batch_aborts (
    batch text COLLATE "C" NOT NULL,
    line int NOT NULL,
    count int NOT NULL,
    last text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (batch, line)
  )`,
  'CREATE TABLE batch_webhooks (batch text COLLATE "C" PRIMARY KEY, sealed bytea NOT NULL)',
  // Idempotency keys of submissions, by their digest.
  `CREATE TABLE submissions (
    key text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    batch text COLLATE "C" NOT NULL,
    body text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (key, digest)
  )`,
  'CREATE INDEX submissions_at ON submissions (at)',
  'CREATE TABLE data_keys (owner text COLLATE "C" PRIMARY KEY, sealed bytea NOT NULL)',
  // When a chunk of a key was last claimed, so that keys take turns.
  'CREATE TABLE batch_turns (key text COLLATE "C" PRIMARY KEY, turn bigint NOT NULL)',
  // The number of a key's next batch. Not in `keys`, because the row is locked while a batch is stored.
  'CREATE TABLE batch_numbers (key text COLLATE "C" PRIMARY KEY, next int NOT NULL)',
  // The session that does work for all nodes.
  'CREATE TABLE duties (duty text PRIMARY KEY, node bigint NOT NULL)',
  // Recent requests, which the nodes exchange. Unlogged, because the rows matter for seconds only.
  `CREATE UNLOGGED TABLE request_rates (
    key text COLLATE "C" NOT NULL,
    node bigint NOT NULL,
    second bigint NOT NULL,
    requests bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (key, node, second)
  )`,
];
