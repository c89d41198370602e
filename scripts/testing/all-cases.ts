import { runAllCases } from './cases';

// Imported first, before the suite whose cases it completes.
runAllCases();
