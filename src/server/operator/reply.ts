/** The response of a route. */
export interface OperatorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A JSON response, indented for people. */
export const jsonReply = (status: number, value: unknown): OperatorReply => ({
  status,
  type: JSON_TYPE,
  body: `${JSON.stringify(value, null, 2)}\n`,
});
