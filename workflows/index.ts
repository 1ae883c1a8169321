export { BuildSourceWorkflow } from './build-source.ts';
