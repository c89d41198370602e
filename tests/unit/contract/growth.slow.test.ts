import '../../support/all-cases';
import './growth.test';
