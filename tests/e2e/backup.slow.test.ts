import '../support/all-cases';
import './backup.test';
