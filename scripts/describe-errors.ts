import { ERRORS } from '../domain/errors.ts';
import { FAILURE_CLASSES } from '../domain/builds/failure.ts';
import { escapeCell, markdownTable } from './markdown-table.ts';

// Writes docs/errors.md to standard output; `npm run docs:errors` keeps it.

const INTRODUCTION = `# Errors

Every error that Airline answers with has a code. Codes are part of the interface: they are never renamed and never used
for something else. \`domain/errors.ts\` is the catalogue.

Over HTTP, an error has the status of its code. With \`Accept: application/problem+json\` the body is a problem of
RFC 9457 with \`code\`, \`hint\` and \`retryable\`. Otherwise it is Tastypie's:

- wrong fields of a resource: \`{"<resource>": {"<field>": ["…"]}}\`;
- a resource that does not exist: no body;
- everything else: \`{"error": "…", "code": "…", "hint": "…"}\`. An error about fields of such a request adds
  \`"fields"\`. A fault of Airline itself has \`error_message\` instead of \`error\`.

The column _retry_ says whether the same call may succeed later.

This page is made by \`npm run docs:errors\`; a test fails when it is out of date.`;

const FAILURES = `## Failures of a build

A build that fails is a result, not an error. Its final message and its resource have \`failure\`: one of these classes, a
message and a hint. An error that has a class in the last column above ends a build with that class.`;

const errors = Object.entries(ERRORS).map(([code, definition]) => [
  `\`${code}\``,
  String(definition.httpStatus),
  definition.retryable ? 'yes' : 'no',
  escapeCell(definition.hint),
  'failureClass' in definition ? `\`${definition.failureClass}\`` : '',
]);
const failures = Object.entries(FAILURE_CLASSES).map(([name, { retryable, hint }]) => [
  `\`${name}\``,
  retryable ? 'yes' : 'no',
  escapeCell(hint),
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
