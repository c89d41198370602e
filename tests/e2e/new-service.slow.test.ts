import '../support/all-cases';
import './new-service.test';
