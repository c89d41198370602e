import '../support/all-cases';
import './representations.test';
