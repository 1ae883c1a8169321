import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './kept-focus.ts';
import { showPrintable } from './printable-pages.ts';
import { keepReaderPlace } from './reader-place.ts';
import './styles/index.css';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app.');
showPrintable();
keepReaderPlace();
keepFocus();
render(<App />, root);
