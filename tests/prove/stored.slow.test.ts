import '../support/all-cases';
import './stored.test';
