import '../../scripts/testing/all-cases';
import './jobs.test';
