import type { TargetRule } from './target-rule.ts';

/** What a caller may do, as tokens carry it. */
export const SCOPES = ['read', 'ticket:write', 'build:write', 'landing:approve', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The longest life of a token that any server can be set to allow: ten years. */
export const MAX_TOKEN_DAYS = 3_652;

/** Who calls. The name is what histories keep. */
export type Actor = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** What its token lets it name; the server's own rule comes besides. */
  readonly targets: TargetRule;
};

/** Whether an actor may do what needs a scope. `admin` may do everything. */
export function allows(actor: Pick<Actor, 'scopes'>, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes('admin');
}
