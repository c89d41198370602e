import '../../scripts/testing/all-cases';
import './jwt.test';
