import '../../support/all-cases';
import './uploads.test';
