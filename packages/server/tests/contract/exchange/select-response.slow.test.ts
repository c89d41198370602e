import '../../../../../scripts/testing/all-cases';
import './select-response.test';
