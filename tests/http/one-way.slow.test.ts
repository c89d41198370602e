import '../support/all-cases';
import './one-way.test';
