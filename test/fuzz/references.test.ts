import { readFileSync } from 'node:fs';
import { RESOURCES } from '../../api/operations.ts';

const FILE = 'test/fuzz/schemathesis.toml';
const NAMED = /'\^\(\(POST\|PUT\|PATCH\) \/api\/v1\/\((\S+?)\)\//;

/** Why the list of the resources with a reference is not what they declare, in words that say what to do. */
function faultsOf(list: string, resources: typeof RESOURCES): string[] {
  const [, names = ''] = NAMED.exec(list) ?? [];
  const isNamed = (name: string) => new RegExp(`^(${names})$`).test(name);
  return resources.flatMap((resource) => {
    const { writeScope, fields } = resource;
    const refers =
      writeScope !== undefined &&
      Object.values(fields).some(({ to, writable }) => to && writable !== 'never');
    return resource.names
      .filter((name) => isNamed(name) !== refers)
      .map((name) =>
        refers
          ? `add ${name} to the resources with a reference in ${FILE}: its requests may be answered 400`
          : `take ${name} out of the resources with a reference in ${FILE}: it has none`,
      );
  });
}

it('the fuzzer knows which resources have a reference, that may be to what does not exist', () => {
  expect(faultsOf(readFileSync(FILE, 'utf8'), RESOURCES)).toEqual([]);
});

it('one that it does not know, or that has none, is said by its name', () => {
  const list = readFileSync(FILE, 'utf8').replace('/(subticket|', '/(person|');
  expect(faultsOf(list, RESOURCES)).toEqual([
    `add subticket to the resources with a reference in ${FILE}: its requests may be answered 400`,
    `take person out of the resources with a reference in ${FILE}: it has none`,
  ]);
});
