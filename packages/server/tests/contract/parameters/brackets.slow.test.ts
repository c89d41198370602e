import '../../../../../scripts/testing/all-cases';
import './brackets.test';
