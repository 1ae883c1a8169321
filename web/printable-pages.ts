import { options } from 'preact';
import { printable } from '../domain/text/printable.ts';

/**
 * From now on each text that a page shows, or tells of an element that is pointed at (`title`), does nothing there:
 * whoever calls the API may have put characters into it that hide a part, or turn the rest of a line round. What a
 * field or a link holds stays as it is.
 */
export function showPrintable(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    // Preact's node of a text has the text in the place of properties.
    const given: { props: unknown } = node;
    if (typeof given.props === 'string') given.props = shownText(given.props);
    else if (typeof node.type === 'string') {
      const element = node.props as { title?: unknown };
      if (typeof element.title === 'string') element.title = shownText(element.title);
    }
    before?.(node);
  };
}

function shownText(text: string): string {
  return printable(text.replaceAll('\r\n', '\n'));
}
