import { defaulted, referenceColumn, textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** An upstream project. */
export class Project extends storedModel('project', {
  name: textColumn(),
  displayName: textColumn(),
  maintainerId: referenceColumn(),
  contactId: referenceColumn(),
  description: defaulted(textColumn()),
}) {}
