import { webAddress } from '../addresses.ts';
import { Icon } from './icon.tsx';

/** A link that leaves Airline. A text that is not a web address is shown as plain text. */
export function ExternalLink({ to, children }: { to: string; children: string }) {
  const address = webAddress(to);
  if (address === undefined) return <span class="breakable">{children}</span>;
  return (
    <a class="breakable" href={address} target="_blank" rel="noopener noreferrer">
      {children}
      <Icon name="outward" size={12} />
      <span class="visually-hidden"> (opens elsewhere)</span>
    </a>
  );
}
