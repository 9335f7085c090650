import { useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import { Editor } from '../editor/editor.js';
import { indented } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { ActionButton } from '../ui/action-button.js';
import { Choice } from '../ui/choice.js';
import { freeName, question } from './ask-draft.js';
import { questionsNode, questionsOf } from './ask-questions.js';
import { QuestionCard } from './question-card.js';
import type { DraftProps } from './state-panel.js';

const KINDS = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

/** The questions, as a form or as JSON. */
export function QuestionsPanel({ draft, change }: DraftProps) {
  const { questionsKind, questions, questionsJson } = draft;
  const [problem, setProblem] = useState('');
  const show = (kind: 'form' | 'json') => {
    setProblem('');
    if (kind === 'json') {
      change({ questionsKind: kind, questionsJson: indented(questionsNode(questions)) });
      return;
    }
    try {
      change({ questionsKind: kind, questions: questionsOf(readJson(questionsJson)) });
    } catch (error) {
      setProblem(`The form cannot show this. ${(error as Error).message}`);
      change({ questionsKind: 'json' });
    }
  };
  return (
    <section class="panel" aria-labelledby="questions-title">
      <div class="bar">
        <h2 id="questions-title">Questions</h2>
        <Choice label="Kind of editor" options={KINDS} value={questionsKind} onChange={show} />
      </div>
      {questionsKind === 'json' ? (
        <Editor
          label="Questions, as JSON"
          hint='{"angry": {"type": "noul", "instructions": "Is the customer angry?"}}'
          language="json"
          value={questionsJson}
          onChange={(text) => change({ questionsJson: text })}
        />
      ) : (
        <QuestionsForm draft={draft} change={change} />
      )}
      {problem !== '' && (
        <p class="under warning" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function QuestionsForm({ draft, change }: DraftProps) {
  const { questions } = draft;
  const add = () => {
    const name = freeName(
      questions.map((each) => each.name),
      'question',
    );
    change({ questions: [...questions, question(name, 'noul', '')] });
  };
  return (
    <>
      {questions.map((each, at) => (
        <QuestionCard
          key={each.id}
          question={each}
          place={at + 1}
          change={(next) => change({ questions: questions.map((old) => (old.id === next.id ? next : old)) })}
          remove={
            questions.length === 1
              ? null
              : () => change({ questions: questions.filter(({ id }) => id !== each.id) })
          }
        />
      ))}
      <ActionButton off={questions.length >= LIMITS.questions} onClick={add}>
        Add a question
      </ActionButton>
      <span class="beside muted">
        {questions.length} of {LIMITS.questions}
      </span>
    </>
  );
}
