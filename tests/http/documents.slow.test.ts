import '../support/all-cases';
import './documents.test';
