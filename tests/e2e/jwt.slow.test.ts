import '../support/all-cases';
import './jwt.test';
