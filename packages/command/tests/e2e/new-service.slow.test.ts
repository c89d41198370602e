import '../../../../scripts/testing/all-cases';
import './new-service.test';
