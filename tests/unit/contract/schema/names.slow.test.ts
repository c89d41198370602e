import '../../../support/all-cases';
import './names.test';
