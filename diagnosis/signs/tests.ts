import { labelled, sign, type Sign } from '../sign.ts';

/** Test runners. */
export const TEST_SIGNS: readonly Sign[] = [
  // Before the compilers: Boost's tests speak as they do.
  labelled('failing_test', 'test', /^\S+\(\d+\): (?:fatal )?error: in "/),
  sign('failing_test', 'test', /^FAIL: \S|^(?:ERROR|XPASS): (?:\S+$|\w+ \()/, /_FailedTest/),
  sign('failing_test', 'test', /^\s*not ok \d+\b/, /# (?:TODO|SKIP)/i),
  sign('failing_test', 'test', /^# {3}Failed test |^t\/\S+ \.+ *(?:Failed|Dubious)/),
  sign('failing_test', 'test', /^E {3}\s*\S|^(?:FAILED|ERROR) \S+(?:::| - )/),
  sign(
    'failing_test',
    'test',
    /^ *\d+\/\d+ Test +#\d+: .*\*{3}(?:Failed|Exception|Timeout|Not Run(?! \(Disabled\)))\b/,
  ),
  sign('failing_test', 'test', /^ *\d+\/\d+ .* (?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) +\d/),
  sign('failing_test', 'test', /^\s*--- FAIL: |^FAIL\t\S+/, /\[(?:build|setup) failed\]/),
  sign(
    'failing_test',
    'test',
    /^test \S+(?: - .+)? \.\.\. FAILED$|^\[ {2}FAILED {2}\] |^FAIL! {2}: |^ {2}\d+ failing$/,
  ),
  labelled('failing_test', 'test', /^\S+: FAILED:$/),
  sign(
    'failing_test',
    'test',
    /^(?:\[ERROR\] )?Tests run: \d+, (?:Failures: [1-9]|.*Errors: [1-9])|^\d+%: Checks: \d+, (?:Failures: [1-9]|.*Errors: [1-9])/,
  ),
  // Ruby's minitest, RSpec and test-unit; PHPUnit and Jest; GNU Autotest; a test of Go that hangs.
  sign(
    'failing_test',
    'test',
    /^ {2}1\) (?:Failure|Error):$|^ *Failure\/Error: |^Failure: test|^There (?:was|were) \d+ (?:failure|error)s?:$|^ {2}● (?:.* › |Test suite failed to run$)|^ *\d+: .* FAILED \(\S+\.at:\d+\)$|^panic: test timed out after /,
  ),
  labelled('failing_test', 'test', /^\S+: \S+: .*: Assertion .* failed\.?$/),
  // gem2deb and cargo only say that tests failed.
  sign(
    'failing_test',
    'step',
    /^ERROR: Test "\S+" failed\. Exiting\.$|^error: (?:(?:doc)?test failed, to rerun pass |\d+ targets? failed:$)/,
  ),
];
