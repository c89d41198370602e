import '../../../../scripts/testing/all-cases';
import './passwords.test';
