import '../../../../../scripts/testing/all-cases';
import './pattern.test';
