import '../../../../../scripts/testing/all-cases';
import './conditional.test';
