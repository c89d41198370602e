import '../../../support/all-cases';
import './judging.test';
