import '../support/all-cases';
import './workers.test';
