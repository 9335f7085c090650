import { render } from 'preact';
import { CALLER_REMEDIES } from './api/caller-remedies.js';
import { App } from './app.js';
import { keptKey } from './key-form.js';
import { RemedyTable } from './ui/error-note.js';
import { pressOnce } from './ui/press-once.js';
import './style/base.css';
import './style/controls.css';
import './style/parts.css';
import './style/ask.css';
import './style/batches.css';
import './style/tasks.css';
import './style/usage.css';
import './style/media.css';

const app = document.getElementById('app') as HTMLElement;
// Preact changes the form of the page into its own, with what was typed; with a key, it shows something else.
if (keptKey.read() !== null) app.replaceChildren();
document.documentElement.className = '';
pressOnce();

render(
  <RemedyTable.Provider value={CALLER_REMEDIES}>
    <App />
  </RemedyTable.Provider>,
  app,
);
