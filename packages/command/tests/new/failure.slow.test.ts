import '../../../../scripts/testing/all-cases';
import './failure.test';
