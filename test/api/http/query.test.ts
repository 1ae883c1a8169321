import { z } from 'zod';
import { integerParameter, parseQuery } from '../../../api/http/query.ts';

const schema = z.object({
  count: integerParameter(1, {
    notInteger: (given) => `${given} is not a whole number.`,
    outOfRange: (given) => `${given} is too small or too large.`,
  }).optional(),
});

describe('a query', () => {
  it('is read by its schema, without other parameters', () => {
    expect(parseQuery(schema, { count: '12', other: 'x' })).toEqual({ count: 12 });
    expect(parseQuery(schema, {})).toEqual({});
  });

  it('has the last value of a parameter that is given twice', () => {
    expect(parseQuery(schema, { count: ['x', '7'] })).toEqual({ count: 7 });
  });

  it.each(['', ' 3', '1e3', '0x10', '3.0', 'three'])('has no whole number %j', (count) => {
    expect(() => parseQuery(schema, { count })).toThrow(`${count} is not a whole number.`);
  });

  it.each(['0', '-1', '2147483648', '99999999999999999999'])('has no number as %s', (count) => {
    expect(() => parseQuery(schema, { count })).toThrow('is too small or too large.');
  });

  it('is documented by the same schema', () => {
    const { properties } = z.toJSONSchema(schema, { io: 'input' });
    expect(properties).toEqual({ count: { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 } });
  });
});
