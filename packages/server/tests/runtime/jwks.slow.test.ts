import '../../../../scripts/testing/all-cases';
import './jwks.test';
