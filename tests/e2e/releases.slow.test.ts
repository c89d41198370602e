import '../support/all-cases';
import './releases.test';
