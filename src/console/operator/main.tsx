import { render } from 'preact';
import { RemedyTable } from '../ui/error-note.js';
import { pressOnce } from '../ui/press-once.js';
import { App } from './operator-app.js';
import { OPERATOR_REMEDIES } from './operator-remedies.js';
import '../style/base.css';
import '../style/controls.css';
import '../style/parts.css';
import '../style/usage.css';
import './operator.css';
import '../style/media.css';

pressOnce();
render(
  <RemedyTable.Provider value={OPERATOR_REMEDIES}>
    <App />
  </RemedyTable.Provider>,
  document.getElementById('app') as HTMLElement,
);
