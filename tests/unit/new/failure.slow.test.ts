import '../../support/all-cases';
import './failure.test';
