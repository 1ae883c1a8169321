import { isNetwork } from '../../../main/config/network.ts';

it.each([
  ['10.0.0.0/8', true],
  ['::1/128', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0', false],
  ['10.0.0.0/8/8', false],
  ['example.org/8', false],
  ['10.0.0.0/x', false],
])('%s is a network: %s', (text, is) => {
  expect(isNetwork(text)).toBe(is);
});
