import '../../../support/all-cases';
import './conditional.test';
