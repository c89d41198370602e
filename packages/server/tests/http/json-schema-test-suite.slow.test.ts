import '../../../../scripts/testing/all-cases';
import './json-schema-test-suite.test';
