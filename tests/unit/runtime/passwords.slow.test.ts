import '../../support/all-cases';
import './passwords.test';
