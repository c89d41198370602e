import '../../scripts/testing/all-cases';
import './schemes.test';
