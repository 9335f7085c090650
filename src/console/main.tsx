import { render } from 'preact';
import { App } from './app.js';
import './style/base.css';
import './style/controls.css';
import './style/ask.css';
import './style/batches.css';

render(<App />, document.getElementById('app') as HTMLElement);
