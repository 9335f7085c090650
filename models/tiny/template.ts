/**
 * A chat template with Gemma-4's turns. Without thinking the answer starts right after an
 * empty thought channel; with it the first turn is the system's and asks for thoughts.
 */
export const CHAT_TEMPLATE = `
{{- bos_token -}}
{%- set thinking = enable_thinking is defined and enable_thinking -%}
{%- if thinking and messages[0].role != 'system' -%}
  {{- '<|turn>system\\n<|think|>\\n<turn|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
  {{- '<|turn>' + ('model' if message.role == 'assistant' else message.role) + '\\n' -}}
  {%- if thinking and loop.first and message.role == 'system' -%}
    {{- '<|think|>\\n' -}}
  {%- endif -%}
  {%- if message.content is string -%}
    {{- message.content | trim -}}
  {%- else -%}
    {%- for part in message.content -%}
      {{- '<|image|>' if part.type == 'image' else part.text | trim -}}
    {%- endfor -%}
  {%- endif -%}
  {{- '<turn|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|turn>model\\n' -}}
  {%- if not thinking -%}
    {{- '<|channel>thought\\n<channel|>' -}}
  {%- endif -%}
{%- endif -%}
`.trim();
