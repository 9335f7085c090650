/** The API token: `--token`, else DECIDER_TOKEN, without the line end that a file or a shell adds; '' if neither is given. */
export const tokenOf = (given: string | undefined): string =>
  (given ?? process.env.DECIDER_TOKEN ?? '').trim();
