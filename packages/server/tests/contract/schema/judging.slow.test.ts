import '../../../../../scripts/testing/all-cases';
import './judging.test';
