import '../../../../../scripts/testing/all-cases';
import './openapi-3.2.test';
