import type { ComponentChildren } from 'preact';

/** One of the facts in a list of them. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breakable">{children}</dd>
    </div>
  );
}
