import type { Sequelize } from 'sequelize';
import type { LinkedSuite } from '../../domain/testing/test-plan.ts';
import { query } from '../sql/query.ts';

const LINKED = `
  SELECT DISTINCT suite.id, suite.name, package.name AS source
  FROM ticket_test_suite AS link
  JOIN test_suite AS suite ON suite.id = link.test_suite_id
  LEFT JOIN source_package AS package ON package.id = suite.source_package_id
  WHERE link.ticket_id = $1
  ORDER BY suite.id`;

/** The test suites that are linked to a ticket, each with the source package that has its tests. */
export function findLinkedSuites(sequelize: Sequelize, ticketId: number): Promise<LinkedSuite[]> {
  return query<LinkedSuite>(sequelize, LINKED, [ticketId]);
}
