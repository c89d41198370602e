import '../../../../scripts/testing/all-cases';
import './client-patterns.test';
