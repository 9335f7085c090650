/** Why a test of the contract does not run on a database. */
const REASONS = {
  clock: 'It moves the server’s clock, and the clock of a cluster is the database’s.',
  data: 'It reads or writes the files or the tables of the data folder.',
  servers: 'It starts servers of its own, on data folders.',
} as const;

/** Tests of the contract that run on a data folder only, by name, and why. */
export const FOLDER_ONLY: Readonly<Record<string, keyof typeof REASONS>> = {
  '7.1 batch_unavailable: batches are switched off': 'servers',
  '7.4 model_unavailable: while the models load': 'servers',
  '3 restart: open batches continue; nothing is answered or billed twice': 'servers',
  '4.6 rule 8: the same key and file make one batch within a day': 'clock',
  '3 window: after 24 hours lines in progress finish, the others read expired': 'clock',
  '3 window: a batch without an answer fails': 'clock',
  '3 key revoked: the batch fails, and its results cannot be collected': 'clock',
  '3 workspace closed: the same as revoked, and a reopened one keeps what has ended': 'clock',
  '3 key expired: the same as revoked': 'clock',
  '3 key paused: no line starts without credit; new credit runs the rest': 'clock',
  '5 rule 9: lines of a withdrawn model fail, unbilled': 'clock',
  '3 tries: five in all, with growing waits': 'clock',
  '7.3 others: a model that stays unavailable for five tries': 'clock',
  '3 deletion: 7 days after the results were first collected': 'clock',
  '3 deletion: 14 days after the finish at the latest; nothing can be read afterwards': 'clock',
  '6 event: one POST of id and status when a batch is done, failed or cancelled': 'clock',
  '6 rule 3: three attempts unless the status is 2xx; redirects are not followed': 'clock',
  '6 rule 3: any 2xx counts as delivered': 'data',
  '6 rule 3: a refused connection counts as an attempt': 'clock',
  '6 rule 3: attempts continue after a restart': 'servers',
  '5 rule 3: expired tokens are 401': 'data',
  '8 data handling: nothing of a live request is stored': 'data',
};
