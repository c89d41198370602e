import '../support/all-cases';
import './jobs.test';
