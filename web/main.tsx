import { render } from 'preact';
import { App } from './app.tsx';
import './styles/index.css';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app.');
render(<App />, root);
