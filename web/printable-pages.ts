import { options } from 'preact';
import { printable } from '../domain/text/printable.ts';

/**
 * From now on each text that a page shows does nothing there: whoever calls the API may have put characters into it
 * that hide a part, or turn the rest of a line round. What a field or a link holds stays as it is.
 */
export function showPrintable(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    // Preact's node of a text has the text in the place of properties.
    const given: { props: unknown } = node;
    if (typeof given.props === 'string')
      given.props = printable(given.props.replaceAll('\r\n', '\n'));
    before?.(node);
  };
}
