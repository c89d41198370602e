import '../support/all-cases';
import './json-schema-test-suite.test';
