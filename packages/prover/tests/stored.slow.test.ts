import '../../../scripts/testing/all-cases';
import './stored.test';
