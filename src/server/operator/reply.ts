/** The response of a route. */
export interface OperatorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON, indented for people. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A JSON response. Bytes are the JSON itself. */
export const jsonReply = (status: number, value: unknown): OperatorReply => ({
  status,
  type: JSON_TYPE,
  body: value instanceof Uint8Array ? value : jsonText(value),
});
