import { Parser } from 'htmlparser2';
import type { TailProblem } from '../domain/builds/log-tail.ts';
import { withTimeLimit } from '../timing/time-limit.ts';
import { boundedText, PpaAnswerError } from './web-service.ts';

/** What the page of a build shows of its log. */
export type ShownTail = { shown: string } | { problem: TailProblem };

/** The part of the page of a build (Launchpad's lib/lp/soyuz/templates/build-index.pt). */
const TAIL_ID = 'buildlog-tail';
/** What Launchpad answers to anybody who may not see a page, or has to sign in first. */
const NOT_FOR_ALL = [301, 302, 303, 307, 308, 401, 403, 404, 410];

/**
 * Reads the last lines of a log that is being written from the page of its build, as everybody sees it: the web service
 * has none of it, and the site takes none of our credentials.
 */
export async function readLogTail(
  pageUrl: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<ShownTail> {
  try {
    const { status, ok, page } = await withTimeLimit({ ms: timeoutMs, signal }, async (limit) => {
      const response = await fetch(pageUrl, {
        redirect: 'manual',
        headers: { accept: 'text/html', 'user-agent': 'airline' },
        signal: limit,
      });
      const { status, ok } = response;
      return { status, ok, page: await boundedText(response, new URL(pageUrl)) };
    });
    if (NOT_FOR_ALL.includes(status)) return { problem: 'not_public' };
    if (!ok) return { problem: 'unreachable' };
    const shown = tailOfPage(page);
    return shown === undefined ? { problem: 'not_shown' } : { shown };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PpaAnswerError || isNetworkFault(error)) return { problem: 'unreachable' };
    throw error;
  }
}

/** What fetch fails with, and a time-out. */
function isNetworkFault(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
}

/**
 * The log in a page of Launchpad, as text; undefined where it shows none. Launchpad makes paragraphs of what has empty
 * lines between, breaks of the ends of lines and non-breaking spaces of those at their start; it makes links, and cuts
 * long words where they may be broken (lib/lp/app/browser/stringformatter.py, `text_to_html`).
 */
export function tailOfPage(html: string): string | undefined {
  let text: string | undefined;
  let depth = 0;
  const parser = new Parser({
    onopentag(name, { id }) {
      if (depth === 0) {
        if (id !== TAIL_ID || text !== undefined) return;
        text = '';
        depth = 1;
      } else if (name === 'br') text = `${text}\n`;
      else if (name === 'p' && text !== '') text = `${text}\n\n`;
      else if (name === 'div') depth += 1;
    },
    ontext(part) {
      // The ends of lines in the page's own text mean nothing.
      if (depth > 0) text += part.replaceAll('\n', '').replaceAll('\u00A0', ' ');
    },
    onclosetag(name) {
      if (depth > 0 && name === 'div') depth -= 1;
    },
  });
  parser.end(html);
  return text;
}
