import { render } from 'preact';
import { CALLER_REMEDIES } from './api/caller-remedies.js';
import { App } from './app.js';
import { RemedyTable } from './ui/error-note.js';
import './style/base.css';
import './style/controls.css';
import './style/parts.css';
import './style/ask.css';
import './style/batches.css';
import './style/usage.css';
import './style/media.css';

render(
  <RemedyTable.Provider value={CALLER_REMEDIES}>
    <App />
  </RemedyTable.Provider>,
  document.getElementById('app') as HTMLElement,
);
