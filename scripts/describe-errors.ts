import { ERRORS } from '../domain/errors.ts';
import { FAILURE_CLASSES } from '../domain/failure.ts';
import { markdownTable } from './markdown-table.ts';

// Writes docs/errors.md to standard output; `npm run docs:errors` keeps it.

const INTRODUCTION = `# Errors

Every error that Airline answers with has a code. Codes are part of the interface: they are never renamed and never used
for something else. \`domain/errors.ts\` is the catalogue.

Over HTTP, an error has the status of its code. The body is Tastypie's: \`{"<resource>": {"<field>": ["…"]}}\` for wrong
fields of a resource, nothing for a missing one, else \`{"error": "…", "code": "…", "hint": "…"}\`; \`build_source\` adds
\`"fields"\`, and a fault of Airline itself says \`error_message\` instead of \`error\`. _Retry_ says whether the same call may
succeed later.

This page is made by \`npm run docs:errors\`; a test fails when it is out of step.`;

const FAILURES = `## Failures of a build

A build that fails is a result, not an error: its final message and its resource carry \`failure\` with one of these
classes, a message and a hint. An error of the catalogue with a class in its last column ends a build with that class.`;

const errors = Object.entries(ERRORS).map(([code, definition]) => [
  `\`${code}\``,
  String(definition.httpStatus),
  definition.retryable ? 'yes' : 'no',
  escapeMarkdown(definition.hint),
  'failureClass' in definition ? `\`${definition.failureClass}\`` : '',
]);
const failures = Object.entries(FAILURE_CLASSES).map(([name, { retryable, hint }]) => [
  `\`${name}\``,
  retryable ? 'yes' : 'no',
  escapeMarkdown(hint),
]);
console.log(
  [
    INTRODUCTION,
    '## Codes',
    markdownTable([['code', 'HTTP', 'retry', 'what to do', 'ends a build as'], ...errors]),
    FAILURES,
    markdownTable([['class', 'retry', 'what to do'], ...failures]),
  ].join('\n\n'),
);

function escapeMarkdown(text: string): string {
  return text.replace(/[|*]/g, '\\$&');
}
