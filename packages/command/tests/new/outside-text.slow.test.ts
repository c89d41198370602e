import '../../../../scripts/testing/all-cases';
import './outside-text.test';
