import '../../../support/all-cases';
import './generated.test';
