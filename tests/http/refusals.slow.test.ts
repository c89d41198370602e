import '../support/all-cases';
import './refusals.test';
