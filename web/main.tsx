import { render } from 'preact';
import { App } from './app.tsx';
import { keepReaderPlace } from './reader-place.ts';
import './styles/index.css';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app.');
keepReaderPlace();
render(<App />, root);
