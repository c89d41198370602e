import '../../../../scripts/testing/all-cases';
import './contentless.test';
