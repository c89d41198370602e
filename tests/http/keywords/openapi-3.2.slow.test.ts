import '../../support/all-cases';
import './openapi-3.2.test';
