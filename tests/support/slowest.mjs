/** The number of suites to list. */
const MOST = 10;

/** A reporter of Jest that lists the slowest suites of a run with many suites. */
export default class Slowest {
  onRunComplete(_, { testResults }) {
    if (testResults.length <= MOST) return;
    const suites = testResults
      .map(({ testFilePath, perfStats }) => ({
        testFilePath,
        seconds: (perfStats.end - perfStats.start) / 1000,
      }))
      .sort((a, b) => b.seconds - a.seconds);
    const total = suites.reduce((sum, { seconds }) => sum + seconds, 0);
    const line = (seconds, name) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`;
    const rest = suites.slice(MOST);
    process.stderr.write(
      `\nWhere the time went, of all workers together:\n${suites
        .slice(0, MOST)
        .map(({ seconds, testFilePath }) => line(seconds, testFilePath.replace(`${process.cwd()}/`, '')))
        .join('')}${line(
        rest.reduce((sum, { seconds }) => sum + seconds, 0),
        `${rest.length} more suites`,
      )}${line(total, 'in all')}`,
    );
  }
}
