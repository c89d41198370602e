import '../../scripts/testing/all-cases';
import './stores.test';
