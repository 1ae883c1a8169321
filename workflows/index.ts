export { CheckUploadWorkflow } from './check-upload.ts';
export { BuildSourceWorkflow } from './build-source.ts';
