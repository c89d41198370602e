import '../support/all-cases';
import './exactness.test';
