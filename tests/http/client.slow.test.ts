import '../support/all-cases';
import './client.test';
