import '../../../../scripts/testing/all-cases';
import './written-code.test';
