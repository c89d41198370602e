import '../../../support/all-cases';
import './brackets.test';
