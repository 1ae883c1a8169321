export { CheckUploadWorkflow } from './check-upload.ts';
export { BuildSourceWorkflow } from './build-source.ts';
export { LandTicketWorkflow } from './land-ticket.ts';
export { CleanPpaWorkflow } from './clean-ppa.ts';
