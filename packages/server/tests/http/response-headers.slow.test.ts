import '../../../../scripts/testing/all-cases';
import './response-headers.test';
