export { CheckUploadWorkflow } from './check-upload.ts';
export { BuildSourceWorkflow } from './build-source.ts';
export { LandTicketWorkflow } from './land-ticket.ts';
