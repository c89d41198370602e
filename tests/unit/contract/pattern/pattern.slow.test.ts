import '../../../support/all-cases';
import './pattern.test';
