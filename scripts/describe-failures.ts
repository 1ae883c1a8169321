import { FAILURE_CLASSES } from '../domain/builds/failure.ts';
import { ROOT_CAUSE_RULES } from '../diagnosis/rules.ts';
import { SEEN_WITH_SBUILD } from '../test/end-to-end/seen-with-sbuild.ts';
import { escapeCell, markdownTable } from './markdown-table.ts';

// Writes docs/failures.md to standard output; `npm run docs:failures` keeps it.

const SBUILD_TEST = 'test/end-to-end/sbuild-failures.test.ts';

const INTRODUCTION = `# Failures

A build that fails is a result, not an error. Its final message and its resource carry \`failure\`: a class, whether a
retry can help, a message, a hint, and, if they are known, the package, the architecture, and the root cause in the
build log. \`line\` is counted from 1 in the stored log. \`excerpt\` is that line with a few lines around it, and begins
at \`excerpt_line\`. Long lines in it are shortened; the line itself keeps its first 700 characters and its last 300.

This page is made by \`npm run docs:failures\`; a test fails when it is out of date.`;

const SEEN = `## Seen with sbuild

The tests of the [verdicts](verdicts.md) use a stand-in that plays a script. Real builds show these classes, too: the
sources go the whole way from the request to the final message, and the stand-in builds them with sbuild.`;

const ROOT_CAUSES = `## Root causes

Airline looks for a root cause in the log of every build record that ended in a failure or in Dependency wait, while it
copies the log into the data store. Most failures of the class \`build_failed\` have one.

Of all lines that look like a cause, it takes the first one in the step that failed. A step is one of debhelper's
(\`dh_auto_build\`), one of dpkg-buildpackage's or one of sbuild's. What was printed in a step that succeeded is not a
cause, however bad it reads. A line that only repeats that something below it failed (\`make: *** [all] Error 2\`,
\`dh_auto_build: error: make -j2 returned exit code 2\`) counts only if nothing else is left. A line that says no reason
(\`Depends: foo but it is not going to be installed\`, \`dpkg: error processing package foo\`) gives way to a cause below
it. In a step that runs tests, a failing test comes before a compiler's error, because other tests may print such errors
on purpose. A complaint that builds often survive (\`error: …\`, \`sh: 1: foo: not found\`) counts only if there is nothing
better. It is then the last one, and has to be at most 100 lines above the first line that says that the step failed.
What most builds survive (\`sh: 1: git: not found\`, a warning) has to be right above that line, or above that of a make
further out that gives up later, and then counts only if no other complaint does. A log that shows no failure, or that
was cut before it, has no root cause.

The rules are in \`diagnosis/rules.ts\`, and the lines that they look for in \`diagnosis/signs/\`. They are tested on real
logs of sbuild in \`test/diagnosis/build-logs/\`; \`make.ts\` there makes the logs again. What no log there has is tested
on the lines of \`test/diagnosis/signs/lines.ts\`.`;

const classes = Object.entries(FAILURE_CLASSES).map(([name, { retryable, hint }]) => [
  `\`${name}\``,
  retryable ? 'yes' : 'no',
  escapeCell(hint),
]);
const seen = Object.entries(SEEN_WITH_SBUILD).map(([name, { how, whyNot }]) => [
  `\`${name}\``,
  escapeCell(how ?? `not: ${whyNot.charAt(0).toLowerCase()}${whyNot.slice(1)}`),
  how === undefined ? '' : `\`${SBUILD_TEST}\` › ${name}`,
]);
const rules = Object.entries(ROOT_CAUSE_RULES).map(([name, { finds, example }]) => [
  `\`${name}\``,
  escapeCell(finds),
  code(example.trim()),
]);
console.log(
  [
    INTRODUCTION,
    '## Classes',
    markdownTable([['class', 'retry', 'what to do'], ...classes]),
    SEEN,
    markdownTable([['class', 'how', 'test'], ...seen]),
    ROOT_CAUSES,
    markdownTable([['rule', 'what it finds', 'a line that it goes by'], ...rules]),
  ].join('\n\n'),
);

/** A code span of a table's cell; two backticks where the text has one (CommonMark 6.1). */
function code(text: string): string {
  const escaped = text.replaceAll('|', '\\|');
  return escaped.includes('`') ? `\`\`${escaped}\`\`` : `\`${escaped}\``;
}
