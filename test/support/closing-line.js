/** Closes a run with one plain line that any reader of the log can count. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const {
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: pending,
      numTodoTests: todo,
      numRuntimeErrorTestSuites: broken,
    } = results;
    process.stderr.write(`\n${passed} passed, ${failed + broken} failed, ${pending + todo} skipped\n`);
  }
};
