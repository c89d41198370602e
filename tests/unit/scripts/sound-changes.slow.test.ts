import '../../support/all-cases';
import './sound-changes.test';
