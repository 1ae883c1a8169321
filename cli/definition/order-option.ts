import { Option } from 'commander';
import { BUILD_ORDERS, type BuildOrder } from '../../domain/builds/build-order.ts';

/** What `--order` gives. */
export type OrderOption = { order?: BuildOrder };

/** `--order`: in which order the packages of a build are built. */
export function orderOption(): Option {
  return new Option(
    '--order <order>',
    'dependencies: each package after those that it build-depends on are published (default: all at once)',
  ).choices(BUILD_ORDERS);
}
