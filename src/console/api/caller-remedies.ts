import { type ErrorType, questionTypes } from '../../api/index.js';
import { type Remedies, UNREACHABLE } from './error.js';

/** What a caller can do about an error. */
export const CALLER_REMEDIES: Partial<Record<ErrorType, string>> & Remedies = {
  [UNREACHABLE]: 'Check that the server runs and that this machine reaches it, then try again.',
  unauthorized:
    'Enter another key. Keys expire and can be revoked; the operator creates one with: decider keys create',
  out_of_credit: 'Ask the operator to add credit: decider workspaces credit',
  budget_exceeded:
    'Wait for the next month, or ask the operator to raise the budget: decider workspaces budget',
  rate_limited: 'Wait, then try again. The limits of the key are shown under Usage.',
  too_many_batches: 'Wait until a batch has finished, or cancel one.',
  overloaded: 'The server is busy. Wait, then try again.',
  model_unavailable: 'The model is loading. Wait, then try again.',
  outcome_unknown: 'It may have been done. The message says what to do; give the operator the request id.',
  internal_error: 'Try again. If it happens again, give the operator the request id.',
  request_timeout: 'Try again on a faster connection, or with a smaller request.',
  batch_unavailable: 'This server has no batches at the moment. Ask its operator.',
  batch_not_found:
    'It was deleted, or submitted with another key. Only the key that submitted a batch can see it.',
  task_not_found: 'It was deleted, or belongs to another workspace. The list has the tasks of yours.',
  invalid_task: 'Correct the field that the message names.',
  no_shadow: 'It was ended or promoted meanwhile. The task shows the model in use.',
  shadow_changed: 'The comparison is read again. Decide by what it shows now.',
  too_many_tasks: 'Delete tasks that are not used any more.',
  invalid_labels: 'Correct the lines and choose the file again.',
  too_few_labels: 'Label more answers, then fit again.',
  too_many_labels:
    'A version of a task keeps a bounded number of labels. Wait until old ones are deleted, or put a new version.',
  idempotency_conflict: 'Choose the file again.',
  model_not_found: 'Choose a model of the list.',
  model_not_allowed: 'Choose another model, or ask the operator to allow this one: decider workspaces models',
  body_too_large: 'Send smaller images or a shorter state; split a batch file.',
  too_many_lines: 'Split the file.',
  invalid_batch: 'Correct the lines and choose the file again. Nothing was queued.',
  invalid_jsonl: 'Save the file as UTF-8.',
  empty_batch: 'Choose a file with one JSON object per line.',
  missing: 'Enter a state.',
  invalid_questions: 'Add a question, and give each a name of its own.',
  too_many_questions: 'Remove questions, or ask them in a second request.',
  invalid_type: `Use ${questionTypes()}.`,
  invalid_question: 'Correct the question that the message names.',
  too_many_options: 'Remove options.',
  invalid_json: 'Correct the JSON.',
  image_dimensions: 'Scale the image.',
  image_too_large: 'Save the image with a lower quality.',
  unsupported_image_format: 'Use a PNG or JPEG file.',
  invalid_image: 'Open the image in an editor and save it again.',
  unreferenced_asset: 'Write the name of the image into the state or a question, or remove the image.',
  image_reference_truncated: 'Shorten the state, or name the image earlier.',
  too_many_images: 'Remove images.',
  images_not_supported: 'Remove the images, or choose a model that reads images.',
};
