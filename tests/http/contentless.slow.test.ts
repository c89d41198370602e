import '../support/all-cases';
import './contentless.test';
