import '../support/all-cases';
import './schemes.test';
