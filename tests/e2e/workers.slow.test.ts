import '../../scripts/testing/all-cases';
import './workers.test';
