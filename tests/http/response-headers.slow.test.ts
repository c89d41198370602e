import '../support/all-cases';
import './response-headers.test';
