import '../../support/all-cases';
import './outside-text.test';
