/** The request breaks the description of the web service; the message is the body of the 400. */
export class BadRequest extends Error {}

/** The account may not do this; the message is the body of the 401. */
export class Unauthorized extends Error {}

/** A parameter names what does not exist; the message is the body of the 404. */
export class NotFound extends Error {}

/** Launchpad says no to an operation; the message is the body of the 403. */
export class Forbidden extends Error {}

/** The named parameters of a request, decoded as lazr.restful does: JSON where it is JSON, else the text itself. */
export type Parameters = ReturnType<typeof readParameters>;

/**
 * @returns how to take each parameter by its name and type; undefined, or the default, where it is not given. All throw
 * BadRequest where it is not of that type.
 */
export function readParameters(given: URLSearchParams) {
  const decode = (name: string): unknown => {
    const text = given.get(name);
    if (text === null) return undefined;
    try {
      return (JSON.parse(text) as unknown) ?? undefined;
    } catch {
      return text;
    }
  };
  const text = (name: string): string | undefined => {
    const value = decode(name);
    if (value === undefined || typeof value === 'string') return value;
    // A version such as 1.0 is JSON too, but a number only by accident.
    if (typeof value === 'number') return given.get(name) ?? undefined;
    throw new BadRequest(`${name}: got '${typeof value}', expected text`);
  };
  const link = (name: string): string[] | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const path = /^(?:https?:\/\/[^/]+)?\/(?:devel\/)?(.+?)\/?$/.exec(value)?.[1];
    if (path === undefined) throw new BadRequest(`${name}: "${value}" is not a valid URI.`);
    return path.split('/');
  };
  const missing = (name: string): never => {
    throw new BadRequest(`${name}: Required input is missing.`);
  };
  return {
    operation: given.get('ws.op') ?? undefined,
    text,
    /** @throws BadRequest where it is missing */
    requiredText: (name: string): string => text(name) ?? missing(name),
    flag(name: string, byDefault = false): boolean {
      const value = decode(name);
      if (value === undefined) return byDefault;
      if (typeof value === 'boolean') return value;
      throw new BadRequest(`${name}: got '${typeof value}', expected true or false`);
    },
    wholeNumber(name: string): number | undefined {
      const value = given.get(name);
      if (value === null) return undefined;
      if (/^\d{1,9}$/.test(value)) return Number(value);
      throw new BadRequest(`${name}: is no whole number.`);
    },
    choice<Option extends string>(name: string, options: readonly Option[]): Option | undefined {
      const value = text(name);
      const option = options.find((one) => one === value);
      if (value !== undefined && option === undefined)
        throw new BadRequest(
          `${name}: Invalid value "${value}". Acceptable values are: ${options.join(', ')}`,
        );
      return option;
    },
    date(name: string): Date | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const date = new Date(value);
      if (Number.isNaN(date.getTime())) throw new BadRequest(`${name}: is no date.`);
      return date;
    },
    /**
     * The path of a link to a resource of the service root, in parts. Launchpad, too, looks at the path alone.
     */
    link,
    /** @throws BadRequest where it is missing */
    requiredLink: (name: string): string[] => link(name) ?? missing(name),
  };
}
