import '../../../../../scripts/testing/all-cases';
import './generated.test';
