import '../../scripts/testing/all-cases';
import './releases.test';
