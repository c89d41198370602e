import '../../../scripts/testing/all-cases';
import './representations.test';
