import { runOtherCases } from './cases';

// Imported first, before the suite of which it runs the other cases.
runOtherCases();
