import pg, { Client } from 'pg';

// A name is kept by PostgreSQL until its connection ends, so there must be a bound.
const MAX_NAMES = 500;

/**
 * A `pg` for Sequelize's option `dialectModule`, whose clients name every statement with bound values. PostgreSQL
 * then parses and plans it once for each connection. Statements beyond the bound go without a name, as do those that
 * hold their values as text, such as Sequelize's SELECT.
 */
export function createPreparingPg(maxNames = MAX_NAMES): object {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNames) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
  class PreparingClient extends Client {
    // `never` fits all overloads; the answer is that of pg.
    override query(statement: unknown, ...more: unknown[]): never {
      const isBound = typeof statement === 'string' && Array.isArray(more[0]);
      const name = isBound ? nameOf(statement) : undefined;
      const named = name === undefined ? statement : { name, text: statement };
      return Reflect.apply(super.query, this, [named, ...more]) as never;
    }
  }
  return { ...pg, Client: PreparingClient };
}
