/** Tells the process that started Jest which suite starts, and how each ends. */
export default class Reporter {
  onTestFileStart({ path }) {
    process.send({ path });
  }
  onTestFileResult({ path }, { numFailingTests, testExecError }) {
    process.send({ path, failed: numFailingTests > 0 || testExecError !== undefined });
  }
}
