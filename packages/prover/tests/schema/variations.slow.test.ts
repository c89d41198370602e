import '../../../../scripts/testing/all-cases';
import './variations.test';
