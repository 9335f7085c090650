import type { Decision } from '../decide/index.js';

/** The result of an answered line as JSON (contract 2.7): the live response, unchanged, and the usage billed. */
export function answeredLine(customId: string, { build, json, usage }: Decision): string {
  const { inputTokens, outputTokens } = usage;
  const head = `"custom_id":${JSON.stringify(customId)},"model":${JSON.stringify(build)},"status":200`;
  return `{${head},"response":${json},"usage":${usageJson(inputTokens, outputTokens)}}`;
}

/** The result of a line that has no answer, as JSON. `status` null: the line never ran. */
export function unansweredLine(
  { customId, model }: { readonly customId: string; readonly model: string },
  {
    status,
    type,
    message,
  }: { readonly status: number | null; readonly type: string; readonly message: string },
): string {
  const head = JSON.stringify({ custom_id: customId, model, status, error: { error: message, type } });
  return `${head.slice(0, -1)},"usage":${usageJson(0, 0)}}`;
}

const usageJson = (input: number, output: number) =>
  `{"input_tokens":${input},"output_tokens":${output},"batch":true}`;
