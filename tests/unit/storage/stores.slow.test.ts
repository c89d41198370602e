import '../../support/all-cases';
import './stores.test';
