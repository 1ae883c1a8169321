import type { Sequelize } from 'sequelize';
import { booleanColumn, defaulted, referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** What a source package's build produces, known by its name. `models/tickets/import-binary-packages.ts` takes many. */
export function defineBinaryPackage(sequelize: Sequelize) {
  return storedModel(
    sequelize,
    'binary_package',
    {
      name: textColumn(),
      sourcePackageId: referenceColumn(),
      version: defaulted(textColumn()),
      seeded: defaulted(booleanColumn()),
    },
    { unique: 'name' },
  );
}
