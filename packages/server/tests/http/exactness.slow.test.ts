import '../../../../scripts/testing/all-cases';
import './exactness.test';
