import { runAllCases } from './cases';

// Imported first by X.slow.test.ts, before the suite whose cases it completes.
runAllCases();
